"""Attention in PyTorch."""
