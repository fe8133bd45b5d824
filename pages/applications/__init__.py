"""Where attention is used, one small example at a time: all of its page and nothing else."""
