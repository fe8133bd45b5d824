"""A few lines of PyTorch that reproduce what each page shows."""
