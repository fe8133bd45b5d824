"""The link that a visitor of this machine is offered: one that others can open, and that to nobody else."""

import contextlib
import socket
from collections.abc import Iterator
from typing import Any, NoReturn

import pytest

from attn_ui.host import public_address

QUERY = "single-head?t=0.30&text=a+b"
DIRECT = {"Host": "localhost:8501", "Origin": "http://localhost:8501"}


@contextlib.contextmanager
def listening(host: str) -> Iterator[int]:
    with contextlib.closing(socket.create_server((host, 0))) as server:
        yield server.getsockname()[1]


@pytest.fixture
def in_a_network(monkeypatch: pytest.MonkeyPatch) -> str:
    """A second address of this machine, as its network would know it."""
    monkeypatch.setattr(public_address, "own_host", lambda: "127.0.0.2")
    return "127.0.0.2"


def public_link(link: str, headers: dict[str, str] = DIRECT, peer: str | None = None) -> tuple[str, str]:
    return public_address.public_link(link, headers, peer)


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1", "lab.localhost"])
def test_server_listening_to_all_has_its_address_in_the_link(host: str, in_a_network: str) -> None:
    with listening("0.0.0.0") as port:
        link, said = public_link(f"http://{host}:{port}/{QUERY}", {"Host": f"{host}:{port}"})
        assert link == f"http://{in_a_network}:{port}/{QUERY}"
        assert f"A link to `{host}` opens on this machine alone. This one has" in said


def test_server_on_this_machine_alone_says_so(in_a_network: str) -> None:
    with listening("127.0.0.1") as port:
        there = f"http://localhost:{port}/{QUERY}"
        link, said = public_link(there)
        assert link == there
        assert "the server listens to nobody else. Started with `--server.address 0.0.0.0`" in said
        assert in_a_network not in said


@pytest.mark.parametrize(
    ("link", "headers", "peer"),
    [
        ("https://lab.example.edu/", {"Host": "lab.example.edu"}, None),
        ("https://lab.example.edu/", {"Host": "localhost:8501", "X-Forwarded-For": "203.0.113.7"}, None),
        ("http://10.0.0.7:8501/", {"Host": "10.0.0.7:8501"}, "10.0.0.9"),
        ("http://localhost.example.edu/", {"Host": "localhost.example.edu"}, None),
        # Whoever says that the browser stands at localhost is not believed where anything says otherwise.
        ("http://localhost:{port}/", {"Host": "lab.example.edu"}, None),
        ("http://localhost:{port}/", {"Host": "localhost:8501", "X-Forwarded-For": "127.0.0.1"}, None),
        ("http://localhost:{port}/", {"Host": "localhost:8501", "x-real-ip": "203.0.113.7"}, None),
        ("http://localhost:{port}/", {"Host": "localhost:8501", "Forwarded": "for=203.0.113.7"}, None),
        ("http://localhost:{port}/", {"Host": "localhost:8501", "Via": "1.1 proxy"}, None),
        ("http://localhost:{port}/", {"Host": "localhost:8501"}, "172.17.0.1"),
        ("http://localhost:{port}/", {}, None),
    ],
)
def test_machine_address_is_hidden_from_remote_visitors(
    link: str, headers: dict[str, str], peer: str | None, in_a_network: str
) -> None:
    with listening("0.0.0.0") as port:
        there = link.format(port=port)
        found, said = public_link(there, headers, peer)
    assert found == there
    assert in_a_network not in said
    assert said == ("This link opens on this machine alone." if "{port}" in link else "")


def test_machine_without_a_network_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(public_address, "own_host", lambda: None)
    assert public_link(f"http://localhost:8501/{QUERY}") == (
        f"http://localhost:8501/{QUERY}",
        "This link opens on this machine alone.",
    )


def test_machine_address_is_found_without_sending_anything(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[str, int]] = []

    class Probe(socket.socket):
        def connect(self, address: Any) -> None:
            asked.append(address)
            loopback = "127.0.0.1" if self.family == socket.AF_INET else "::1"
            super().connect((loopback, address[1]))

        def send(self, *_: Any) -> NoReturn:
            raise AssertionError("something was sent")

        sendto = sendall = send

    monkeypatch.setattr(socket, "socket", Probe)
    assert public_address.own_host() is None  # it would send from itself alone
    assert [host for host, _ in asked] == ["192.0.2.1", "2001:db8::1"]
