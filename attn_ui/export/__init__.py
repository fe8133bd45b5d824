"""What leaves the app as a file: slides, decks, and the figure that moves by itself."""
