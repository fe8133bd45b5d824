"""The landing page: all of its page and nothing else."""
