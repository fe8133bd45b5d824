"""The address of this server for other machines, if a visitor opened it as localhost; nothing is sent out."""

import contextlib
import ipaddress
import socket
from collections.abc import Mapping
from urllib.parse import urlsplit

from attn_words import _

# Addresses of documentation: no packet is sent, the system only chooses the address that it would send from.
_FAR = ((socket.AF_INET, "192.0.2.1"), (socket.AF_INET6, "2001:db8::1"))
_FORWARDED = ("forwarded", "via", "x-forwarded-", "x-real-ip", "x-client-ip", "x-original-")
_SECONDS = 0.5  # that a server on this machine may take to take a connection


def own_host() -> str | None:
    """Return this machine's address in its network, as written in a link; None if it is in none."""
    for family, far in _FAR:
        with contextlib.suppress(OSError), socket.socket(family, socket.SOCK_DGRAM) as probe:
            probe.connect((far, 9))
            own = str(probe.getsockname()[0])
            if not ipaddress.ip_address(own).is_loopback:
                return f"[{own}]" if ":" in own else own
    return None


def public_link(link: str, headers: Mapping[str, str], peer: str | None) -> tuple[str, str]:
    """Return a link that others can open, and a sentence about it.

    Only a visitor on this machine, without a proxy, is given its address in the network. All others get the
    link unchanged, whatever host their request names.

    Args:
        link: the address in the visitor's browser.
        headers: of the visitor's request.
        peer: the address that the connection came from; None for this machine.
    """
    there = urlsplit(link)
    if not _is_here(there.hostname):
        return link, ""
    host = urlsplit(f"//{headers.get('Host', '')}").hostname
    is_seen_from_here = peer is None and _is_here(host) and not any(map(_is_forwarding, headers))
    own = own_host() if is_seen_from_here else None
    if own is None:
        return link, _("This link opens on this machine alone.")
    port = there.port or (443 if there.scheme == "https" else 80)
    if not _listens(own, port):
        return link, _(
            "This link opens on this machine alone: the server listens to nobody else. Started with "
            "`--server.address 0.0.0.0` (by uvicorn with `--host 0.0.0.0`), it is open to your network."
        )
    shared = there._replace(netloc=f"{own}:{there.port}" if there.port else own).geturl()
    return shared, _(
        "A link to `{host}` opens on this machine alone. This one has the machine's address in your network: "
        "others there can open it, unless a firewall keeps them out.",
        host=there.hostname,
    )


def _is_here(host: str | None) -> bool:
    if not host:
        return False
    if host == "localhost" or host.endswith(".localhost"):
        return True
    with contextlib.suppress(ValueError):
        return ipaddress.ip_address(host).is_loopback
    return False


def _is_forwarding(header: str) -> bool:
    return header.lower().startswith(_FORWARDED)


def _listens(host: str, port: int) -> bool:
    with contextlib.suppress(OSError), socket.create_connection((host.strip("[]"), port), timeout=_SECONDS):
        return True
    return False
