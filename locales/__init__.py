"""Catalogues of the product's words, a folder a language, and what makes them."""
