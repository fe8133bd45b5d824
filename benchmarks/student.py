"""One visitor without a browser, who requests, keeps and shows what Streamlit's own front end does."""

import asyncio
import json
import random
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import websockets
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.typing import Subprotocol

from attn_ui.host.faults import LOST

PATIENCE = 60.0  # seconds until a run counts as lost
FINISHED = (
    ForwardMsg.FINISHED_SUCCESSFULLY,
    ForwardMsg.FINISHED_FRAGMENT_RUN_SUCCESSFULLY,
    ForwardMsg.FINISHED_WITH_COMPILE_ERROR,
)


@dataclass
class Widget:
    """A control as the server described it, and the fragment that it belongs to."""

    body: Any
    fragment: str = ""

    @property
    def live(self) -> dict[str, Any] | None:
        """The head of the message to a live figure with a slider; None for any other widget."""
        raw = getattr(self.body, "bytes", b"") if hasattr(self.body, "component_name") else b""
        if not raw:
            return None
        head: dict[str, Any] = json.loads(raw[4 : 4 + int.from_bytes(raw[:4], "little")])
        return head if head.get("slider") else None

    @property
    def is_slider(self) -> bool:
        """Whether it is a slider of Streamlit's own."""
        return type(self.body).__name__ == "Slider" and self.body.max > self.body.min

    def moved(self, rng: random.Random) -> float | str:
        """Return what the browser reports when a slider is released at random: a number, or an option."""
        low, step = self.body.min, self.body.step
        place = low + rng.randint(0, round((self.body.max - low) / step)) * step
        return str(self.body.options[int(place)]) if self.body.options else float(place)


class ElementOnPage(NamedTuple):
    """The element at one place of a page, and the fragment that put it there."""

    element: Any
    fragment: str

    @property
    def kind(self) -> str:
        """Its kind: "markdown", "slider" and so on."""
        return str(self.element.WhichOneof("type"))

    @property
    def body(self) -> Any:
        """Its content, as the server sent it."""
        return getattr(self.element, self.kind)


@dataclass
class Kept:
    """A large message that need not be sent again, as long as the browser has it."""

    element: ElementOnPage
    last_run: int  # the last run that had it on the page, counted by the student


@dataclass
class Student:
    """One session over a websocket, as Streamlit's own front end keeps it."""

    server: str  # "http://127.0.0.1:8501"
    page: str = ""
    pages: dict[str, str] = field(default_factory=dict)
    widgets: dict[str, Widget] = field(default_factory=dict)
    state: dict[str, Any] = field(default_factory=dict)
    cached: dict[str, Kept] = field(default_factory=dict)
    runs: int = 0
    most_age: int = 0  # runs after which a browser drops an unused message; the server's
    screen: dict[tuple[int, ...], ElementOnPage] = field(default_factory=dict)
    came: set[tuple[int, ...]] = field(default_factory=set)  # the places that this run filled
    parts: set[str] = field(default_factory=set)  # the fragments of this run; empty for a whole page
    address: str = ""  # the query of the address, as the server sent it last
    n_bytes: int = 0
    errors: list[str] = field(default_factory=list)

    async def __aenter__(self) -> "Student":
        """Connect."""
        self.socket = await websockets.connect(
            f"{self.server.replace('http', 'ws', 1)}/_stcore/stream",
            subprotocols=[Subprotocol("streamlit"), Subprotocol("x")],
            max_size=None,
            ping_interval=None,
            compression=None,
        )
        return self

    async def __aexit__(self, *_: object) -> None:
        """Close the connection."""
        await self.socket.close()

    @property
    def figures(self) -> dict[str, dict[str, Any]]:
        """The heads of the messages to live figures with a slider, by their keys."""
        return {key: head for key, widget in self.widgets.items() if (head := widget.live)}

    async def ask(self, page: str = "", query: str = "", /, **values: Any) -> None:
        """Request a run: of a page by its link, or of the present one with widgets set to new values."""
        back = BackMsg()
        rerun = back.rerun_script
        rerun.page_script_hash = self.pages.get(page, "") if page else self.page
        if page and page not in self.pages:
            rerun.page_name = page
        if page:
            self.widgets, self.state, self.address = {}, {}, query
        rerun.query_string = self.address
        self.state |= values
        for key, value in self.state.items():
            if key in self.widgets:
                state = rerun.widget_states.widgets.add()
                state.id = self.widgets[key].body.id
                if isinstance(value, dict):
                    state.json_value = json.dumps(value)
                elif isinstance(value, str) and type(self.widgets[key].body).__name__ == "Selectbox":
                    state.string_value = value
                elif isinstance(value, str):
                    state.string_array_value.data.append(value)
                else:
                    state.double_array_value.data.append(float(value))
        fragments = {self.widgets[key].fragment for key in values if key in self.widgets}
        rerun.fragment_id = fragments.pop() if len(fragments) == 1 else ""
        rerun.cached_message_hashes.extend(self.cached)
        await self.socket.send(back.SerializeToString())

    async def run(self, page: str = "", query: str = "", /, **values: Any) -> float:
        """Request a run and wait for its end; return the seconds."""
        self.n_bytes, self.errors = 0, []
        began = time.perf_counter()
        await self.ask(page, query, **values)
        while True:
            raw = await asyncio.wait_for(self.socket.recv(), PATIENCE)
            self.n_bytes += len(raw)
            message = ForwardMsg()
            message.ParseFromString(raw)
            if self.take(message):
                return time.perf_counter() - began

    def take(self, message: ForwardMsg) -> bool:
        """Process one message of the server, as the browser does; return whether it ends a run."""
        place = tuple(message.metadata.delta_path)
        match message.WhichOneof("type"):
            case "new_session":
                self.page = message.new_session.page_script_hash
                self.most_age = message.new_session.config.max_cached_message_age
                self.came, self.parts = set(), set(message.metadata.run.fragment_ids)
            case "navigation":
                self.page = message.navigation.page_script_hash
                self.pages |= {p.url_pathname: p.page_script_hash for p in message.navigation.app_pages}
            case "page_info_changed":
                self.address = message.page_info_changed.query_string
            case "ref_hash":
                entry = self.cached[message.ref_hash]
                entry.last_run = self.runs
                self._put(place, entry.element)
            case "delta" if message.delta.WhichOneof("type") == "new_element":
                element = ElementOnPage(message.delta.new_element, message.delta.fragment_id)
                if message.metadata.cacheable:
                    self.cached[message.hash] = Kept(element, self.runs)
                self._put(place, element)
            case "script_finished" if message.script_finished in FINISHED:
                if message.script_finished == ForwardMsg.FINISHED_WITH_COMPILE_ERROR:
                    self.errors.append("compile error")
                self.screen = {
                    at: element
                    for at, element in self.screen.items()
                    if at in self.came or (self.parts and element.fragment not in self.parts)
                }
                self.widgets = dict(self._widgets())
                self._forget()
                return True
        return False

    def _put(self, place: tuple[int, ...], element: ElementOnPage) -> None:
        self.came.add(place)
        self.screen[place] = element
        body = element.body
        if element.kind == "exception":
            self.errors.append(f"{body.type}: {body.message}")
        if element.kind == "alert" and body.body == LOST:
            self.errors.append(LOST)

    def _forget(self) -> None:
        """Drop messages not used for some runs; after a run of fragments, only theirs."""
        self.runs += 1
        for name, entry in list(self.cached.items()):
            ran = not self.parts or entry.element.fragment in self.parts
            if ran and self.runs - entry.last_run > self.most_age:
                del self.cached[name]

    def _widgets(self) -> Iterator[tuple[str, Widget]]:
        """Yield the controls on the screen, with the keys that the app gave them."""
        for element in self.screen.values():
            name = getattr(element.body, "id", "")
            if name.startswith("$$"):
                yield name.split("-", 2)[-1], Widget(element.body, element.fragment)  # $$ID-hash-key


def released(figure: dict[str, Any], rng: random.Random) -> dict[str, Any]:
    """Return what the browser reports when a live figure's sliders are released at random."""
    return {
        "step": rng.randrange(len(figure["slider"]["texts"])),
        "row": rng.randrange(len(figure["cursor"]["texts"])) if figure["cursor"] else 0,
        "of": [len(figure["slider"]["texts"]), len(figure["cursor"]["texts"]) if figure["cursor"] else 1],
        "cell": None,
        "chosen": {name: place["index"] for name, place in figure["chosen"].items()},
        "revision": figure["revision"],
    }
