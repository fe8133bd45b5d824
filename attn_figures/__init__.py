"""Pictures of attention: numpy arrays and labels in, one Plotly figure out. Knows no torch, no Streamlit."""
