"""Figures outside the app: what a link shows, as a live figure on any web page, without a server.

`figure` computes what a link shows; `element` writes it as HTML; `files` writes the files that all figures of
a site share; `stills` draws, with a Chromium, the pictures shown where no script runs. `python -m
attn_ui.publish` makes a page of some links, `sphinx` is a directive for Sphinx and Jupyter Book.
"""
