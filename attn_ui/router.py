"""The script that Streamlit runs. Kept out of the folder of the pages on purpose.

With `pages/` beside the main script, an address that names a file there would run that file alone. It is
compiled once but executed in every run, so it holds as little as possible.
"""

from attn_ui.screen.routing import run

run()
