"""The Streamlit part that all pages share: router, page frame, controls bound to the address, live figure."""
