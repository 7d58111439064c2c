"""`python -m meeple` is the program `meeple`."""

from meeple.cli.app import main

main()
