"""The page "Single head": every stage of one attention head, with its numbers."""
