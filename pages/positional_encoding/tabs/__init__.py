"""The tabs under the picture, one per file."""
