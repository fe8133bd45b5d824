"""Catalogues of the product's words, one folder for each language, and the script that makes them."""
