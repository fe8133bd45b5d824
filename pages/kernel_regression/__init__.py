"""The page "Kernel regression", the first attention."""
