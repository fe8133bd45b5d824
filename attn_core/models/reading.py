"""Cuts a text into a model's tokens with the folder's tokenizer, and makes tokens readable."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from attn_core.tokens import LINE, SPACE, UNDERSCORE, decode_piece, readable_tokens

LOCAL = {"local_files_only": True, "trust_remote_code": False}
"""How transformers reads a folder: nothing is fetched, and no code of the folder's is run."""

MAX_CHARACTERS = 20_000
_FILES = "tokenizer.json (or vocab.txt, or vocab.json and merges.txt)"


@dataclass(frozen=True)
class Encoding:
    """Tokens of a text: ``ids`` and labels, the positions of special ones, and how many were left out."""

    ids: tuple[int, ...]
    labels: tuple[str, ...]
    special: tuple[int, ...]
    beyond: int


class Reader:
    """A tokenizer of the package tokenizers, without padding or truncation.

    ``mark`` is how tokens show where words begin: "##" precedes a piece that continues a word, "·" is the
    space before a word; "" is neither.
    """

    def __init__(self, tokenizer: Any, most: int) -> None:
        """Cut texts to ``most`` tokens, special ones among them, unless ``encode`` sets fewer."""
        self._most = most
        self._tokenizer = tokenizer
        self.n_special = int(tokenizer.num_special_tokens_to_add(is_pair=False))
        if most <= self.n_special:
            raise ValueError(
                f"a model must have places for more than the {self.n_special} special tokens that its "
                f"tokenizer adds; got {most} places"
            )
        tokenizer.no_padding()
        tokenizer.no_truncation()
        unknown = getattr(tokenizer.model, "unk_token", None)
        added = tokenizer.get_added_tokens_decoder()
        self._special = {id for id, each in added.items() if each.special and each.content != unknown}
        self._added = {each.content for each in added.values()}
        parts = (
            _state_of(tokenizer.pre_tokenizer),
            _state_of(tokenizer.normalizer),
            _state_of(tokenizer.decoder),
        )
        pieces = getattr(tokenizer.model, "continuing_subword_prefix", None)
        self._bytes = any('"ByteLevel"' in part for part in parts)
        self._underscore = any(UNDERSCORE in part for part in parts)
        self.mark = SPACE if self._bytes or self._underscore else pieces or ""

    @property
    def highest(self) -> int:
        """The highest id of a token."""
        return max(self._tokenizer.get_vocab(with_added_tokens=True).values(), default=0)

    def encode(self, text: str, most: int | None = None) -> Encoding:
        """Return at most ``most`` tokens of a text, special ones included.

        Raises ValueError where the tokenizer cannot read it.
        """
        try:
            # Truncation by the tokenizer would be part of its state, which all sessions share.
            encoding = self._tokenizer.encode(text[:MAX_CHARACTERS], add_special_tokens=False)
            whole = len(encoding.ids)
            encoding.truncate((self._most if most is None else most) - self.n_special)
            beyond = whole - len(encoding.ids)
            encoding = self._tokenizer.post_process(encoding)
        except Exception as error:  # the package raises Exception itself
            raise ValueError(f"the folder's tokenizer must read the text; it says: {error}") from error
        flags = zip(encoding.ids, encoding.special_tokens_mask, strict=True)
        return Encoding(
            tuple(encoding.ids),
            tuple(self.label(token) for token in encoding.tokens),
            tuple(place for place, (id, added) in enumerate(flags) if added or id in self._special),
            beyond,
        )

    def name(self, id: int) -> str:
        """Return the readable text of a token, given its id."""
        return readable_tokens([self.label(self._tokenizer.id_to_token(id) or str(id))])[0]

    def label(self, token: str) -> str:
        """Return a readable token: characters for bytes, "·" for a space, "↵" for a line's end."""
        if token in self._added:
            return token
        text = decode_piece(token) if self._bytes else token
        if self._underscore:
            text = text.replace(UNDERSCORE, " ")
        return text.replace(" ", SPACE).replace("\n", LINE) if self.mark == SPACE else text


def read_tokenizer(folder: Path, transformers: Any, most: int) -> Reader | None:
    """Return a folder's tokenizer; None where the folder holds none.

    Raises ValueError where the files are damaged, and where there is sentencepiece's own file alone.
    """
    present = [name for name in ("tokenizer.json", "vocab.txt", "merges.txt") if (folder / name).is_file()]
    if not present:
        if (folder / "tokenizer.model").is_file():
            raise ValueError(
                f"a model's folder must hold {_FILES}; {folder.name} has sentencepiece's tokenizer.model "
                "alone, which is not read (save_pretrained of a fast tokenizer writes tokenizer.json)"
            )
        return None
    try:
        if present[0] == "tokenizer.json":
            tokenizer = transformers.PreTrainedTokenizerFast(tokenizer_file=str(folder / present[0]))
        else:
            tokenizer = transformers.AutoTokenizer.from_pretrained(folder, **LOCAL)
        return Reader(tokenizer.backend_tokenizer, most)
    except Exception as error:  # tokenizers raises Exception itself for a file that it cannot read
        raise ValueError(f"the folder's tokenizer must be readable; reading it failed: {error}") from error


def missing_tokenizer(folder: str) -> str:
    """Return the message for a folder without a tokenizer."""
    return f"the model's folder must hold {_FILES} to read text; {folder} does not"


def _state_of(part: Any) -> str:
    """Return the JSON of a part of a tokenizer; "" where there is none."""
    return "" if part is None else part.__getstate__().decode()
