"""The views of learned heads: one file a source."""
