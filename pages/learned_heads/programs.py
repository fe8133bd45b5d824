"""Programs that print the numbers on screen, and their formula."""

from collections.abc import Callable, Mapping
from typing import Any

from attn_core import RealModel
from attn_core.toys import SHIPPED
from attn_ui.base.markdown import plain
from attn_ui.base.programs import OneProgram, Programs
from attn_words import _, paragraph
from pages.learned_heads.cloud_snippet import as_points
from pages.learned_heads.clouds import HeadClouds
from pages.learned_heads.compute import Now
from pages.learned_heads.evicted import Evicted
from pages.learned_heads.flow_snippet import (
    evicts,
    evicts_by_hand,
    flow_formula,
    flows,
    flows_by_hand,
    loss_formula,
)
from pages.learned_heads.found import Found
from pages.learned_heads.long_text import LongText
from pages.learned_heads.snippet import by_hand, formula, snippet
from pages.learned_heads.state import Heads
from pages.learned_heads.text_flow import TextFlow
from pages.learned_heads.whole_snippet import long_snippet, model_snippet


def programs(now: Found) -> Programs | OneProgram | None:
    """Return what is handed over; a training of one's own has no file, so its program trains again."""
    for kind, handed in _HANDED.items():
        if isinstance(now, kind):
            return handed(now)
    return None


def _of_toy(now: Now) -> Programs | OneProgram:
    if now.recipe not in SHIPPED:
        return OneProgram(
            lambda: snippet(now),
            paragraph(
                _("These lines repeat the training with `attn_core`: `pip install .` in this app's folder."),
                _("They print the weights of all heads, and what the model says at every place."),
            ),
        )
    return Programs(
        lambda: by_hand(now),
        lambda: snippet(now),
        lambda: formula(now),
        prints=_("the weights of all heads, and what the model says at every place"),
        reads=_("the file of this training"),
    )


def _of_points(now: HeadClouds) -> OneProgram:
    return OneProgram(
        lambda: as_points(now),
        paragraph(
            _("These lines run the model with `attn_core`: `pip install .` in this app's folder."),
            _("They print the head's weights, and the points of its queries and keys."),
        ),
    )


def _of_model(heads: Heads) -> OneProgram | None:
    model = heads.model
    if model is None:
        return None  # of a file there are two, in the tab
    says = _(
        "These lines read the model with `attn_core` (`pip install .` in this app's folder) and print which "
        "head stands first by the measure, and its number."
    )
    return OneProgram(
        lambda: model_snippet(
            heads.text, heads.whole.measure, hide=heads.whole.words_only, model=_name(model)
        ),
        _with_folder(says, model),
    )


def _of_long(now: LongText) -> OneProgram:
    says = _(
        "These lines read the model with `attn_core` (`pip install .` in this app's folder) and print what "
        "the head gives to the token before and to the token itself, on average."
    )
    return OneProgram(
        lambda: long_snippet(now.text, now.layer, now.head, model=_name(now.model)),
        _with_folder(says, now.model),
    )


def _name(model: RealModel) -> str | None:
    return None if model.is_packaged else model.name


def _with_folder(says: str, model: RealModel) -> str:
    name = _name(model)
    if name is None:
        return says
    where = _("Start them where the folder {name} is, or put its path in.", name=plain(name))
    return f"{says}\n\n{where}"


def _of_flow(flow: TextFlow) -> Programs | OneProgram | None:
    if isinstance(flow.of, Heads) and flow.of.model is None:
        return None
    if isinstance(flow.of, Heads) or flow.of.recipe not in SHIPPED:
        return OneProgram(
            lambda: flows(flow),
            paragraph(
                _("These lines run the model with `attn_core`: `pip install .` in this app's folder."),
                _("They print the weights of the layer, the lengths of what they write, and the rollout."),
            ),
        )
    of = flow.of
    return Programs(
        lambda: flows_by_hand(flow, of),
        lambda: flows(flow),
        lambda: flow_formula(flow),
        prints=_("the weights of the layer, the lengths of what they write, and the rollout"),
        reads=_("the file of this training"),
    )


def _of_eviction(found: Evicted) -> Programs | OneProgram:
    if found.now.recipe not in SHIPPED:
        return OneProgram(
            lambda: evicts(found),
            paragraph(
                _("These lines repeat the training with `attn_core`: `pip install .` in this app's folder."),
                _("They print the weights over the keys that are kept, and the error of each head."),
            ),
        )
    return Programs(
        lambda: evicts_by_hand(found),
        lambda: evicts(found),
        lambda: loss_formula(found),
        prints=_("the weights over the keys that are kept, and the error of each head"),
        reads=_("the file of this training"),
    )


_HANDED: Mapping[type, Callable[[Any], Programs | OneProgram | None]] = {
    Now: _of_toy,
    Heads: _of_model,
    LongText: _of_long,
    TextFlow: _of_flow,
    Evicted: _of_eviction,
    HeadClouds: _of_points,
}
