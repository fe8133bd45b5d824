"""What leaves the app as a file: slides, decks, handouts, and a figure that moves without the app."""
