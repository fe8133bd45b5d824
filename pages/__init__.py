"""One file a page: controls, attn_core, attn_figures, words."""
