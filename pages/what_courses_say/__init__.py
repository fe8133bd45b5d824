"""What courses say of attention, one claim at a time: all of its page and nothing else."""
