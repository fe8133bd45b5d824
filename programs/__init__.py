"""What the tab *Code* prints, as a textbook would write it: real functions, which the tests run."""
