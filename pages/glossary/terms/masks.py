"""Terms of masks: where a query may attend."""

from attn_ui.base.search_entries import Place
from attn_ui.base.term import Term

LONGFORMER = "Beltagy et al., 2020"


def _mask(mask: str, **more: str) -> Place:
    return Place("single_head", {**more, "mask": mask})


TERMS = (
    Term(
        "Attention mask",
        "A mask says which keys each query may attend to; here True means that it may.",
        _mask("causal", stage="masked"),
        also=("mask", "boolean mask"),
        paper="M",
        code="scaled_dot_product_attention(attn_mask)",
        source="Vaswani et al., 2017",
        symbols=("M",),
    ),
    Term(
        "Additive mask",
        "An additive mask is added to the scaled scores: 0 where a query may attend, −∞ where it may not.",
        _mask("causal", stage="masked", tab="Maths"),
        also=("float mask",),
        paper="\\mathrm{softmax}(QK^\\top / \\sqrt{d_k} + M)\\,V",
        code="scaled_dot_product_attention(attn_mask)",
    ),
    Term(
        "Causal mask",
        "A causal mask hides from each query the keys after its own place.",
        _mask("causal"),
        also=("causal", "look-ahead mask", "autoregressive mask", "subsequent mask", "triangular mask"),
        paper="M_{ij} = -\\infty \\text{ for } j > i",
        code="causal_mask",
        source="Vaswani et al., 2017",
        apart=("causal",),
    ),
    Term(
        "Padding mask",
        "A padding mask hides the places that only fill a batch up to one length.",
        _mask("padding"),
        also=("key padding mask",),
        code="padding_mask",
    ),
    Term(
        "Sliding window",
        "A sliding window lets a query attend to itself and its neighbours alone.",
        _mask("sliding window"),
        also=("local attention", "windowed attention", "SWA", "band mask"),
        code="sliding_window_mask",
        source=LONGFORMER,
    ),
    Term(
        "Causal sliding window",
        "A causal sliding window lets a query attend to itself and some keys before it; a window of 4 in "
        "Mistral and Gemma counts the token itself and is 3 here.",
        _mask("causal window"),
        also=("causal window", "causal local attention"),
        code="sliding_window_mask(is_causal)",
        source="Jiang et al., 2023",
    ),
    Term(
        "Dilated window",
        "A dilated window lets a query attend to neighbours with gaps between them.",
        _mask("dilated"),
        also=("dilated mask", "dilated sliding window"),
        code="dilated_mask",
        source=LONGFORMER,
    ),
    Term(
        "Global attention",
        "A global token attends to all tokens, and all attend to it.",
        _mask("global + local"),
        also=("global + local", "global tokens"),
        code="global_local_mask",
        source=LONGFORMER,
    ),
    Term(
        "Block-sparse attention",
        "Block-sparse attention computes some blocks of the map alone: here a query's own and some by lot. "
        "BigBird has windows and global blocks too.",
        _mask("block-sparse", w="2", moves="mask width"),
        also=("block-sparse mask", "BigBird's random blocks"),
        code="block_sparse_mask",
        source="Child et al., 2019; Zaheer et al., 2020",
    ),
    Term(
        "Prefix mask",
        "A prefix mask lets all queries attend to the beginning, and to themselves and what came before.",
        _mask("prefix", w="2", moves="mask width"),
        also=("prefix LM", "prefix language model"),
        code="prefix_mask",
        source="Raffel et al., 2020",
    ),
    Term(
        "Packed texts",
        "Packed texts share one row of a batch: under their mask no token attends to another text, and each "
        "text is as if alone.",
        _mask("packed", w="3", moves="mask width"),
        also=("packed", "sequence packing", "block-diagonal mask", "document mask"),
        code="packed_mask",
        source="Krell et al., 2021",
    ),
)
