"""A page on screen: session and address, controls, the live figure, tabs, search, sharing."""
