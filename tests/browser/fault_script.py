"""A page that fails as a page of the product would."""

import streamlit as st

st.write("before")
if st.query_params.get("word") == "rerun" and "again" not in st.session_state:
    st.session_state["again"] = True
    st.rerun()
if "word" in st.query_params and st.query_params["word"] != "rerun":
    raise ValueError(f"cannot use {st.query_params['word']}")
st.write("after")
