"""The page "Learned heads": heads of small models trained here, of a real model, or of a file."""
