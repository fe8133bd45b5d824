"""What a page is made of: settings, links, questions, figures, programs. Nothing here imports Streamlit."""
