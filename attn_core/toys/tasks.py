"""Tasks whose right attention is known: the keys to attend to, and so the answers."""

from collections.abc import Callable
from dataclasses import dataclass

import torch
from jaxtyping import Int
from torch import Tensor

from attn_words import N_, _

LETTERS = "abcdefghijklmn"
BAR, BLANK = "|", "·"
SYMBOLS = LETTERS + BAR + BLANK
"""The symbols, in the order of the embedding's rows: letters, the bar that ends a list, the blank."""

_BAR, _BLANK = SYMBOLS.index(BAR), SYMBOLS.index(BLANK)

Draw = Callable[[int, torch.Generator], Tensor]
Right = Callable[[Tensor], Tensor]


@dataclass(frozen=True)
class Task:
    """One task: sequences to learn from, and for each position the keys that hold its answer.

    Attributes:
        name: as it is called on screen and on the command line.
        question: what to answer at each position, in a few words.
        length: tokens of a sequence; most: letters that a user may type.
        causal: whether a position attends only to itself and earlier ones.
        layers, heads, d_model: of the model that solves it.
        seed, steps, rate: of its training, and the learning rate.
        example: a sequence to begin with.
        draw: returns n_sequence sequences (n_sequence, length), drawn from a generator.
        right: from sequences (*batch, n), the mask (*batch, n, n) of the keys that hold each query's answer;
            a query without any has no answer.
        trained_on: the sequences of draw, in words.
        strange: draws sequences that draw does not, though they can be typed; None where there are none.
            strange_name: these sequences, in words.
    """

    name: str
    question: str
    length: int
    most: int
    causal: bool
    layers: int
    heads: int
    d_model: int
    seed: int
    steps: int
    rate: float
    example: str
    draw: Draw
    right: Right
    trained_on: str
    strange: Draw | None = None
    strange_name: str = ""

    def tokens(self, text: str) -> Int[Tensor, " n"]:
        """Return the sequence of typed letters, with a bar after a list to sort, and blanks to the end.

        Raises ValueError for no letter, for more than there is room for, and for anything but the letters.

        >>> "".join(SYMBOLS[token] for token in TASKS["sort"].tokens("cab"))
        'cab|ab'
        """
        strange = sorted({each for each in text if each not in LETTERS})
        if strange:
            letters = _(", ").join(repr(each) for each in strange[:5])
            raise ValueError(
                _(
                    "a sequence needs the letters {first} to {last}, which are all that this model knows; "
                    "got {letters}",
                    first=LETTERS[0],
                    last=LETTERS[-1],
                    letters=letters,
                )
            )
        if not 1 <= len(text) <= self.most:
            raise ValueError(
                _("a sequence needs from 1 to {most} letters; got {count}", most=self.most, count=len(text))
            )
        whole = text
        if self.name == "sort":
            whole = text + BAR + "".join(sorted(text))[:-1]
        elif not self.causal:
            whole = text.ljust(self.length, BLANK)
        return torch.tensor([SYMBOLS.index(each) for each in whole])

    def answers(self, tokens: Int[Tensor, "*batch n"]) -> Int[Tensor, "*batch n"]:
        """Return the right answer at each position: the symbol to predict there; -100 where there is none.

        >>> task = TASKS["induction"]
        >>> task.answers(task.tokens("abca")).tolist()
        [-100, -100, -100, 1]
        """
        right = self.right(tokens)
        n = tokens.shape[-1]
        last = n - 1 - right.flip(-1).int().argmax(dim=-1)
        return torch.where(right.any(dim=-1), tokens.gather(-1, last), -100)


def _letters(count: int, length: int, generator: torch.Generator) -> Tensor:
    return torch.randint(len(LETTERS), (count, length), generator=generator)


def _different_letters(count: int, generator: torch.Generator) -> Tensor:
    return torch.rand(count, len(LETTERS), generator=generator).argsort(dim=-1)


def _lengths(count: int, low: int, high: int, generator: torch.Generator) -> Tensor:
    return torch.randint(low, high + 1, (count, 1), generator=generator)


def _draw_letters(length: int) -> Draw:
    return lambda count, generator: _letters(count, length, generator)


def _draw_padded(length: int, least: int, most: int | None = None) -> Draw:
    def draw(count: int, generator: torch.Generator) -> Tensor:
        tokens = _letters(count, length, generator)
        return tokens.masked_fill(
            torch.arange(length) >= _lengths(count, least, most or length, generator), _BLANK
        )

    return draw


def _draw_lists(most: int) -> Draw:
    """Draw lists of different letters, a bar, and the same letters in order except the last."""

    def draw(count: int, generator: torch.Generator) -> Tensor:
        letters = _different_letters(count, generator)[:, :most]
        n = _lengths(count, 2, most, generator)
        places = torch.arange(2 * most).expand(count, -1)
        alphabetical = letters.masked_fill(torch.arange(most) >= n, _BLANK).sort(dim=-1).values
        tokens = letters.gather(1, places.clamp(max=most - 1))
        tokens = torch.where(places == n, _BAR, tokens)
        after = alphabetical.gather(1, (places - n - 1).clamp(0, most - 1))
        tokens = torch.where(places > n, after, tokens)
        return torch.where(places >= 2 * n, _BLANK, tokens)

    return draw


def _draw_repeating_lists(n: int) -> Draw:
    """Draw lists of n letters, which may repeat, a bar, and the same letters in order except the last."""

    def draw(count: int, generator: torch.Generator) -> Tensor:
        letters = _letters(count, n, generator)
        alphabetical = letters.sort(dim=-1).values[:, :-1]
        return torch.cat([letters, torch.full((count, 1), _BAR), alphabetical], dim=-1)

    return draw


def _draw_blocks(length: int, least: int, most: int) -> Draw:
    """Draw blocks of different letters, repeated to the end; each sequence has a block length of its own."""

    def draw(count: int, generator: torch.Generator) -> Tensor:
        letters = _different_letters(count, generator)
        return letters.gather(1, torch.arange(length) % _lengths(count, least, most, generator))

    return draw


def _previous(tokens: Tensor) -> Tensor:
    n = tokens.shape[-1]
    return torch.eye(n, dtype=torch.bool).roll(-1, 1).tril(-1).expand(*tokens.shape, n)


def _same(tokens: Tensor) -> Tensor:
    n = tokens.shape[-1]
    return torch.eye(n, dtype=torch.bool) & (tokens != _BLANK)[..., None, :]


def _mirror(tokens: Tensor) -> Tensor:
    n = tokens.shape[-1]
    return torch.eye(n, dtype=torch.bool).flip(-1) & (tokens != _BLANK)[..., None, :]


def _next_in_order(tokens: Tensor) -> Tensor:
    """Return where in the list the next letter in order is; at the bar it is the smallest."""
    n = tokens.shape[-1]
    positions = torch.arange(n)
    bar = (tokens == _BAR).int().argmax(dim=-1, keepdim=True)
    in_list = positions < bar
    alphabetical = tokens.masked_fill(~in_list, _BLANK).sort(dim=-1).values
    rank = positions - bar
    letter = alphabetical.gather(-1, rank.clamp(0, n - 1))
    has_answer = (rank >= 0) & (rank < bar)
    right: Tensor = (
        (letter[..., :, None] == tokens[..., None, :]) & in_list[..., None, :] & has_answer[..., None]
    )
    return right


def _after_the_same(tokens: Tensor) -> Tensor:
    """Return the keys that follow an earlier occurrence of the query's symbol."""
    n = tokens.shape[-1]
    right = torch.zeros(*tokens.shape, n, dtype=torch.bool)
    right[..., :, 1:] = tokens[..., :, None] == tokens[..., None, :-1]
    return right.tril()


TASKS: dict[str, Task] = {
    task.name: task
    for task in (
        Task(
            "induction", N_("say what came after this symbol before"), 24, 24, True, 2, 2, 32, 6, 1000, 3e-3,
            "dgcahdgcahdgc", _draw_blocks(24, 4, 12), _after_the_same,
            N_("blocks of 4 to 12 different letters, each block repeated to the end"),
            _draw_letters(24), N_("letters drawn at random, no repeated blocks"),
        ),
        Task(
            "previous token", N_("say the symbol just before"), 16, 16, True, 1, 1, 16, 1, 300, 1e-2,
            "acefeldandmaking", _draw_letters(16), _previous, N_("letters drawn at random"),
        ),
        Task(
            "copy", N_("say the symbol at the same place"), 12, 12, True, 1, 1, 16, 1, 200, 1e-2,
            "hackedleaf", _draw_letters(12), _same, N_("letters drawn at random"),
        ),
        Task(
            "reverse", N_("say the sequence from its end"), 12, 12, False, 1, 1, 16, 1, 300, 1e-2,
            "hackedleaf", _draw_padded(12, 6), _mirror, N_("6 to 12 letters drawn at random"),
            _draw_padded(12, 1, 5), N_("1 to 5 letters drawn at random"),
        ),
        Task(
            "sort", N_("after the bar, say the list in order"), 16, 8, True, 1, 1, 32, 0, 800, 5e-3,
            "hcmadglb", _draw_lists(8), _next_in_order, N_("lists of 2 to 8 different letters"),
            _draw_repeating_lists(8), N_("lists of 8 letters drawn at random, in which letters repeat"),
        ),
    )
}  # fmt: skip
