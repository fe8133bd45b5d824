"""All that this app uses of Streamlit and Streamlit does not document: a module, and a declaration, each."""
