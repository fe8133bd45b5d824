"""The server around the pages: start, security, queue of runs, limits, uploads, a check of the machine."""
