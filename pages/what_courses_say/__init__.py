"""The page "Common claims": what courses say of attention, one measured claim at a time."""
