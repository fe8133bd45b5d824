"""What the page draws: one picture a file."""
