"""Attention in NumPy: the same functions, and the same numbers."""
