"""Parts of pages that would make them too long to read."""
