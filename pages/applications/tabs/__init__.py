"""The tabs under a use of attention."""
