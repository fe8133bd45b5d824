"""The state of the page: the use that is shown, and its settings."""

from dataclasses import dataclass

from attn_core import tokenize
from attn_core.applications import SHAPES, frame_names, patch_names

MOST_WORDS = 16  # words drawn of the sentence that the three masks act on
N_PATCH, N_SHAPE, N_FRAME = len(patch_names()), len(SHAPES), len(frame_names())


@dataclass(frozen=True)
class State:
    """The state of the page.

    Attributes:
        use: which use of attention.
        text: the sentence that the three masks act on; seed: of its words' vectors.
        temperature: of the softmax, in translation, images and captions.
        prefix: how many words of `text` are read at once.
        patch, word, frame: the query in the picture, the caption or the sound, counted from 1.
        window: how many frames on each side the local head may attend to.
    """

    use: str = "translation"
    text: str = "the cat sat on the mat"
    seed: int = 4
    temperature: float = 1.0
    prefix: int = 3
    patch: int = 20
    word: int = 4
    window: int = 3
    frame: int = 24

    @property
    def words(self) -> tuple[str, ...]:
        """The first MOST_WORDS words of the sentence."""
        return tuple(tokenize(self.text)[:MOST_WORDS])

    @property
    def read_at_once(self) -> int:
        """The length of the prefix, at most that of the sentence."""
        return min(self.prefix, len(self.words))
