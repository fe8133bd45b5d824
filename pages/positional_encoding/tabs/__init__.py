"""The tabs under the picture, one a file."""
