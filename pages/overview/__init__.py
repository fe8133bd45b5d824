"""The page "Overview", on which the app opens."""
