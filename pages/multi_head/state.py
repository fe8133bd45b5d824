"""The state of the page: the settings that decide the numbers, and the options that show them."""

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
    """All that decides the numbers on the page, except the number of heads."""

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
    masking: Masking = NO_DETAILS  # the mask's settings besides its width
    patterns: tuple[str, ...] = ()  # the kinds of mask that heads have in turn
    positions: SchemeSettings = NO_POSITIONS
    temperature: float = 1.0
    sink: float | None = None  # the logit of an attention sink, the same in every head
    init: str = GLOROT
    weights: HandRows = ()  # those set by hand; the others are drawn

    @property
    def kinds(self) -> tuple[str, ...]:
        """The kinds of mask that heads have in turn."""
        return (self.patterns or USUAL_PATTERNS) if self.mask == A_PATTERN_A_HEAD else (self.mask,)

    @property
    def width_name(self) -> str:
        """The label of the mask's width; "" if it has none."""
        widths = [MASK_PATTERNS[kind].width for kind in self.kinds if MASK_PATTERNS[kind].width]
        return _(widths[0]) if len({*widths}) == 1 else _("Window, block or prefix") if widths else ""


@dataclass(frozen=True)
class HeadsOptions:
    """How the maps are shown; heads and queries are zero-based indices."""

    view: str
    order: str
    head: int
    against: int
    off: tuple[int, ...]
    num_kv_heads: int = MAX_HEADS  # of keys and values, at most
    all_heads: bool = False  # whether arcs are drawn for all heads, in colours
    also: tuple[int, ...] = ()  # queries whose rows are combined with the chosen one's
    summed: bool = False  # whether rows are summed, not averaged

    @property
    def for_drawing(self) -> "HeadsOptions":
        """The options, with defaults for those that the picture does not depend on."""
        if self.view == "two heads":
            return self
        if self.view in ONE_HEAD:
            one = replace(self, order="", against=0, num_kv_heads=MAX_HEADS)
            return replace(one, head=0) if self.all_heads else one
        off = () if self.view in WITHOUT_HEADS else self.off
        shared = self.num_kv_heads if self.view == "diagram" else MAX_HEADS
        return replace(self, head=0, against=0, off=off, num_kv_heads=shared)
