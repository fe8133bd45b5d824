"""What a link to this page says, as values: what decides the numbers, and how they are shown."""

from dataclasses import dataclass, replace

from attn_core import GLOROT, MASK_PATTERNS, Masking
from attn_ui.base.bounds import MAX_HEADS
from attn_ui.base.hand_weight_settings import HandRows
from attn_ui.base.schemes import SchemeSettings
from attn_ui.base.shared_settings import SEED
from attn_words import _
from pages.multi_head.settings import A_PATTERN_A_HEAD, ONE_HEAD, USUAL_PATTERNS, WIDTH_MODEL, WITHOUT_HEADS

NO_POSITIONS = SchemeSettings("none")
NO_DETAILS = Masking()


@dataclass(frozen=True)
class HeadsSetting:
    """All that decides the numbers on the page, but for how many heads there are."""

    case: str
    text: str
    memory_text: str = ""
    cross: bool = False
    d_model: int = WIDTH_MODEL.default
    d_memory: int = WIDTH_MODEL.default
    d_head: int | None = None  # None: d_model / n_head
    bias: bool = False
    projection: bool = True
    seed: int = SEED.default
    mask: str = "none"
    reach: int = 1
    masking: Masking = NO_DETAILS  # what the mask takes beside its width
    patterns: tuple[str, ...] = ()  # what heads take in turn
    positions: SchemeSettings = NO_POSITIONS
    temperature: float = 1.0
    sink: float | None = None  # the logit of an attention sink, the same in every head
    init: str = GLOROT
    weights: HandRows = ()  # those set by hand; the others are drawn

    @property
    def kinds(self) -> tuple[str, ...]:
        """The kinds of mask that heads take in turn."""
        return (self.patterns or USUAL_PATTERNS) if self.mask == A_PATTERN_A_HEAD else (self.mask,)

    @property
    def width_name(self) -> str:
        """What the mask's width is called; nothing where it has none."""
        widths = [MASK_PATTERNS[kind].width for kind in self.kinds if MASK_PATTERNS[kind].width]
        return _(widths[0]) if len({*widths}) == 1 else _("Window, block or prefix") if widths else ""


@dataclass(frozen=True)
class HeadsOptions:
    """How the maps are shown; heads, queries and keys are counted from 0."""

    view: str
    order: str
    head: int
    against: int
    off: tuple[int, ...]
    num_kv_heads: int = MAX_HEADS  # of keys and values, at most
    all_heads: bool = False  # whether arcs are drawn for all heads, in colours
    also: tuple[int, ...] = ()  # queries whose rows are taken together with the chosen one's
    summed: bool = False  # whether as a sum

    @property
    def for_drawing(self) -> "HeadsOptions":
        """The options that change the picture; the chosen head is framed in the browser."""
        if self.view == "two heads":
            return self
        if self.view in ONE_HEAD:
            one = replace(self, order="", against=0, num_kv_heads=MAX_HEADS)
            return replace(one, head=0) if self.all_heads else one
        off = () if self.view in WITHOUT_HEADS else self.off
        shared = self.num_kv_heads if self.view == "diagram" else MAX_HEADS
        return replace(self, head=0, against=0, off=off, num_kv_heads=shared)
