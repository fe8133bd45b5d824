"""The few lines of PyTorch that reproduce the numbers on a page, as text."""
