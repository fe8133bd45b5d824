"""What the single-head page shows now: one head, its scoring, the slider's place and the selected cell."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

import attn_core
from attn_figures.single_head import Walk, walk_picture
from attn_ui.live_figure import pack
from attn_ui.shared_cache import shared
from pages.single_head.numbers import Head, Inputs, Stages, make_head, make_mask, make_stages, scale_of
from pages.single_head.sidebar import Scoring
from pages.single_head.words import Seen


@dataclass(frozen=True)
class View:
    """Everything that the picture, the words and the tabs are made from."""

    inputs: Inputs
    head: Head
    scoring: Scoring
    temperature: float
    width: float
    cell: tuple[int, int]

    @property
    def scale(self) -> float:
        """What the scores are multiplied by, before the temperature."""
        return scale_of(self.scoring.scale, self.scoring.free_scale, self.head.d_k)

    @property
    def factor(self) -> str:
        """The same as an operator."""
        free = f"× {self.scoring.free_scale:g}"
        return {"none": "× 1", "free": free}.get(self.scoring.scale, f"÷ √{self.head.d_k}")

    @cached_property
    def stages(self) -> Stages:
        """Every stage where the sliders stand."""
        return self.at_all(None)

    def at_all(self, moves: str | None) -> Stages:
        """Every stage at all positions of the slider that moves, or at one where none does."""
        shape = len(self.head.queries), len(self.head.keys)
        widths = self.scoring.width.values if moves == "mask width" else (self.width,)
        masks = [make_mask(self.scoring.masking, *shape, int(each)) for each in widths]
        temperatures = list(self.scoring.temperature.values) if moves == "temperature" else [self.temperature]
        return make_stages(self.head, masks, scale=self.scale, temperatures=temperatures)

    def walk(self, stages: Stages, step: int = 0) -> Walk:
        """Turn one position's tensors into what the picture is drawn from."""
        head = self.head
        x, memory = (None if each is None else np.asarray(each) for each in (head.x, head.memory))

        def at(values: Any) -> Any:
            return np.asarray(values[min(step, len(values) - 1)])

        return Walk(
            queries=head.queries,
            keys=head.keys,
            x=x,
            memory=memory if head.is_cross else x,
            projections=None if head.projections is None else [np.asarray(each) for each in head.projections],
            query=np.asarray(head.query),
            key=np.asarray(head.key),
            value=np.asarray(head.value),
            scores=at(stages.scores),
            scaled=at(stages.unmasked),
            mask=at(stages.mask),
            exponentials=at(stages.exponentials),
            row_sums=at(stages.row_sums),
            weights=at(stages.weights),
            output=at(stages.output),
            factor=f"{self.factor}<br>÷ T",
            cell=self.cell,
        )

    def seen(self) -> Seen:
        """Pick out what the words speak of."""
        head, stages, (row, column) = self.head, self.stages, self.cell
        weights = stages.weights[0]
        top = int(weights[row].argmax())
        effective = attn_core.effective_keys(weights)
        longest = head.keys[int(head.key.norm(dim=-1).argmax())]
        return Seen(
            query=head.queries[row],
            key=head.keys[column],
            top_key=head.keys[top],
            n_query=len(head.queries),
            n_key=len(head.keys),
            d_model=None if head.x is None else head.x.shape[-1],
            d_k=head.d_k,
            d_v=head.value.shape[-1],
            score=float(stages.scores[0, row, column]),
            scaled=float(stages.unmasked[0, row, column]),
            allowed=bool(stages.mask[0, row, column]),
            weight=float(weights[row, column]),
            top_weight=float(weights[row, top]),
            row_effective=float(effective[row]),
            mean_effective=float(effective.mean()),
            empty_rows=int((~stages.mask[0].any(dim=-1)).sum()),
            pairs=int(stages.mask[0].sum()),
            factor=self.factor,
            temperature=self.temperature,
            untrained=self.inputs.is_drawn,
            made=self.inputs.qkv,
            is_cross=head.is_cross,
            longest=longest if self.inputs.example == "I love dogs" and self.inputs.ramp else "",
            equal_lengths=self.inputs.unit_rows,
        )


@shared
def drawn(
    inputs: Inputs,
    scoring: Scoring,
    stage: str,
    cell: tuple[int, int],
    *,
    moves: str | None,
    temperature: float,
    width: float,
) -> bytes:
    """Compute and draw the figure at every position of its slider; without one, at the given values."""
    view = View(inputs, make_head(inputs), scoring, temperature, width, cell)
    stages = view.at_all(moves)
    steps = range(len(stages.weights))
    return pack([walk_picture.spec(stage, view.walk(stages, step)) for step in steps])
