"""Single-head attention: all of its page and nothing else."""
