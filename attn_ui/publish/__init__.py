"""Figures outside the app: a link to it, published as a live figure on any web page, with no server.

`figure` computes what a link shows; `element` writes it as HTML; `files` keeps the files that a site of such
figures shares; `stills` has a Chromium draw the pictures that stand where no script runs. `python -m
attn_ui.publish` makes a page of some links, `sphinx` is a directive for Sphinx and Jupyter Book.
"""
