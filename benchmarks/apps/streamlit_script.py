"""The usual Streamlit ways: `?way=plotly_chart&n=64&heads=8`, `?way=pyplot`, `?way=floor`."""

import matplotlib.pyplot as plt
import plotly.graph_objects as go
import seaborn
import streamlit as st

from benchmarks.apps.maps import TEMPERATURES, plain_figures, weights

st.set_page_config(layout="wide")
way = st.query_params.get("way", "floor")
n_token, n_head = int(st.query_params.get("n", 16)), int(st.query_params.get("heads", 1))
step = st.slider("Step", 0, len(TEMPERATURES) - 1, 0)

if way == "plotly_chart":
    drawing = st.cache_data(plain_figures)(n_token, n_head)[step]
    st.plotly_chart(go.Figure(drawing), theme=None, key="maps")
elif way == "pyplot":
    maps = st.cache_data(weights)(n_token, n_head)[step]
    columns = min(4, n_head)
    figure, axes = plt.subplots(-(-n_head // columns), columns, figsize=(9, 4.2), squeeze=False)
    for axis, w in zip(axes.flat, maps, strict=True):
        seaborn.heatmap(w, vmin=0, vmax=1, cmap="Blues", cbar=False, ax=axis)
    st.pyplot(figure)
    plt.close(figure)
else:
    st.write(f"step {step}")
