"""All undocumented parts of Streamlit that this app uses, each declared as a `Feature` in its module."""
