"""What other programs speak: file formats and engine protocols."""
