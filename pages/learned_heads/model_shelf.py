"""The one real model of this process: read in the background at the first visit, shared by all sessions."""

import threading
from collections.abc import Callable
from dataclasses import dataclass

from attn_core import AttentionMaps, RealModel, load_model
from attn_ui.base.shared_cache import shared
from attn_ui.base.shared_settings import TEXT
from attn_ui.host.hosting import PREFIX, hosting

OTHER = f"{PREFIX}MODEL"  # a folder, in place of the packaged model


@dataclass(frozen=True)
class ModelStatus:
    """The share of the model that is read; at the end the model, or why there is none."""

    share: float = 0.0
    model: RealModel | None = None
    fault: str = ""  # why the requested model is missing, even if the packaged one replaces it

    @property
    def is_over(self) -> bool:
        """Whether reading has ended."""
        return self.model is not None or bool(self.fault and self.share >= 1.0)


class ModelShelf:
    """Reads a model once, in a thread of its own, and keeps it."""

    def __init__(self, load: Callable[..., RealModel] = load_model) -> None:
        """Begin without a model; `load` reads one."""
        self._load = load
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self._standing = ModelStatus()

    def status(self, name: str | None = None) -> ModelStatus:
        """Return the status; the first call starts reading the model `name`, or the packaged one for None."""
        with self._lock:
            if self._thread is None:
                self._thread = threading.Thread(target=self._read, args=(name,), daemon=True)
                self._thread.start()
            return self._standing

    def wait(self, seconds: float | None) -> None:
        """Wait until reading ends, for at most `seconds` unless None."""
        if self._thread is not None:
            self._thread.join(seconds)

    def _read(self, name: str | None) -> None:
        fault = ""
        for each in dict.fromkeys((name or None, None)):
            try:
                model = self._load(each, progress=self._tell)
                model.attend(TEXT.default)  # a model that cannot read a sentence is refused here
            except ValueError as error:
                fault = fault or str(error)
            except BaseException as error:  # even a library's panic must end the waiting
                fault = fault or f"reading it failed with {type(error).__name__}"
            else:
                self._standing = ModelStatus(1.0, model, fault)
                return
        self._standing = ModelStatus(1.0, None, fault)

    def _tell(self, share: float) -> None:
        self._standing = ModelStatus(min(share, 0.99))


SHELF = ModelShelf()


def model_status(patience: float | None = 0.0) -> ModelStatus:
    """Return the status after waiting for reading to end, at most `patience` seconds unless None."""
    name = hosting().model
    SHELF.status(name)
    SHELF.wait(patience)
    return SHELF.status(name)


@shared
def maps_of(text: str, _model: RealModel) -> AttentionMaps:
    """Return the maps of a text; the cache's key leaves out the model, as a process has only one."""
    return _model.attend(text)
