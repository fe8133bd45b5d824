"""The page "Multi-head": several heads on the same words, and their joined output."""
