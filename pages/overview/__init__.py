"""The page "Overview", which the app opens with."""
