"""Sentences about what each page shows: numbers in, words out."""
