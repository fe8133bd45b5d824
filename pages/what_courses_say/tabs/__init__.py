"""The tabs under a claim."""
