"""The tabs of the page, one a file."""
