"""The page "Positional encoding": how attention gets word order."""
