"""Files that are there as a whole or not at all, whatever happens while they are written."""

from __future__ import annotations

import errno
import os
from pathlib import Path

DRAFTS = ".*.part"
"""What files are called while they are written."""


def replace(place: Path, content: bytes) -> None:
    """Write a file; where that fails, or the process is killed, the file that was there before stays."""
    draft = place.with_name(f".{place.name}.{os.getpid()}.part")
    try:
        with draft.open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        draft.replace(place)
    except BaseException:
        draft.unlink(missing_ok=True)
        raise


def remove_drafts(folder: Path) -> None:
    """Remove what processes that were killed left in a folder and below it."""
    for draft in folder.rglob(DRAFTS):
        draft.unlink(missing_ok=True)


def unwritable(place: Path, error: OSError) -> str:
    """What is said of a file that could not be written."""
    hint = "; make room" if error.errno in (errno.ENOSPC, errno.EDQUOT) else ""
    return f"cannot write {place}: {error.strerror}{hint}"
