"""The glossary, every term a student meets, and where the app shows it: all of its page and nothing else."""
