"""A page as somebody looks at it: session and address, controls, the live figure, tabs, search, sharing."""
