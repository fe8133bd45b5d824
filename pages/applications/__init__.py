"""The page "Applications": uses of attention, one small example each."""
