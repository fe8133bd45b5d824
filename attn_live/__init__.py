"""The live figure's own parts: steps packed for the browser, and its JavaScript. Independent of Streamlit."""
