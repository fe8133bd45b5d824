"""The lines that reproduce the weights."""

import streamlit as st

from pages.positional_encoding.numbers import Numbers
from pages.positional_encoding.snippet import attention_code


def show(numbers: Numbers) -> None:
    """Show the program."""
    inputs = numbers.inputs
    st.markdown("These lines reproduce the weights with positions, with nothing but PyTorch:")
    code = attention_code(inputs.tokens, inputs.words, numbers.width, inputs.seed, numbers.scheme())
    st.code(code, language="python")
