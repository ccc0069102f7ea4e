"""Anytime networks with balanced losses: chapter 4 of Hu's thesis, at the size of a processor."""
