"""Figures outside the app: what a link shows, as a live figure on any web page, without a server.

`figure` computes what a link shows; `element` writes it as HTML; `files` keeps the files that a site of such
figures shares; `stills` makes Chromium draw the pictures for where no script runs. `python -m
attn_ui.publish` makes a page of some links, `sphinx` is a directive for Sphinx and Jupyter Book.
"""
