"""The panel Share: the link with its QR code, settings as a file, the figure as HTML, colours."""

import html
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import segno
import streamlit as st

from attn_live.bundle import join_scripts
from attn_ui.base.bounds import MAX_SETTINGS_BYTES
from attn_ui.base.link_options import COVER, DECIMALS, LANG, PALETTE, PREDICT, framing
from attn_ui.base.markdown import capital, plain
from attn_ui.base.parameters import Parameter
from attn_ui.base.pin import COMPARE, PIN, Pin
from attn_ui.base.shared_cache import shared
from attn_ui.host import public_address
from attn_ui.host.assets import plotly_js
from attn_ui.host.hosting import hosting
from attn_ui.publish.files import NAME
from attn_ui.publish.snippet import archive, archive_version, snippet
from attn_ui.screen import palette_and_decimals, settings_file, state
from attn_ui.screen.address import address_items
from attn_ui.screen.live_figure import PLOTLY_ROUTE
from attn_words import SOURCE, _, cached, language, paragraph

_HERE = Path(__file__).parent
_PLACE = "_share_place"  # where the run in progress has the panel, and what its page can set
_TURN = "_share_turn"  # how many files were opened
_FILE_MESSAGE = "_share_said"  # of the file that was opened last: the page, and a sentence on the result
MOST_SCANNED = 1_200  # characters of a link whose code a phone still reads from a projector
_LINK = '<input readonly aria-label="{label}" class="share-link">'
_SNIPPET = '<textarea readonly rows="6" wrap="off" aria-label="{label}" class="share-link"></textarea>'
_COPIES = '<button type="button">{copy}</button><span role="status"></span>'
ARCHIVE = "attention-lab.zip"


def show(url: str, settings: Sequence[Parameter]) -> None:
    """Show the button; the panel behind it is filled at the end of the run (`fill`)."""
    panel = st.popover(_("Share"), icon=":material/share:", key="share", on_change="rerun")
    st.session_state[_PLACE] = (panel, url, settings)


def is_open() -> bool:
    """Whether the panel is open; then its content is refreshed with every change."""
    return bool(st.session_state.get("share"))


def fill() -> None:
    """Fill the panel if it is open; called at the end of a run, when the address is complete."""
    panel, url, settings = st.session_state.pop(_PLACE, (None, "", ()))
    if panel is None:
        return
    said_on, message = st.session_state.get(_FILE_MESSAGE, ("", ""))
    if not panel.open:
        st.session_state.pop(_FILE_MESSAGE, None)
        return
    with panel:
        address, about = public_link(link(framed=True))
        if about:
            st.caption(about)
        link_field("link", address)
        if tables := state.left_out(settings):
            too_long = _("Too long for a link: {tables}.", tables=_(", ").join(tables))
            message = paragraph(too_long, _("The file has everything."))
            st.warning(message, icon=":material/info:")
        st.divider()
        _offer_file(url, settings)
        if message and said_on == url:
            st.markdown(message)
        st.divider()
        _page(url, settings, "" if about else address.partition("?")[0].removesuffix(url))
        st.divider()
        palette_and_decimals.show()


def link(*, framed: bool, **more: str) -> str:
    """Return the address of what is on screen.

    Args:
        framed: whether to keep a teacher's options; pin, language, colours and decimals are always kept.
        more: further settings; empty ones are left out.
    """
    names = {PIN, COMPARE.name, LANG.name, PALETTE.name, DECIMALS.name}
    own: set[str] = set() if framed else {each.name for each in framing(())} - names
    pairs = address_items(*own) + [(name, text) for name, text in more.items() if text]
    address = st.context.url or ""
    return f"{address}?{urlencode(pairs)}" if pairs else address


def public_link(address: str) -> tuple[str, str]:
    """Return an address that other machines can open, and a sentence about it."""
    return public_address.public_link(address, st.context.headers, st.context.ip_address)


def scannable(text: str) -> segno.QRCode:
    """Make the QR code of a link.

    Raises:
        ValueError: the text is too long to be read by a phone.
    """
    length = len(text.encode())
    if length > MOST_SCANNED:
        fields = {"most": f"{MOST_SCANNED:,}", "count": f"{length:,}"}
        raise ValueError(_("A QR code has up to {most} characters; this link has {count}.", **fields))
    return segno.make(text, error="m", micro=False, boost_error=False)


def qr_code(text: str) -> str:
    """Draw a link as a QR code: black on white with its quiet zone, as the address of an SVG.

    Raises:
        ValueError: the text is too long to be read by a phone.
    """
    return str(scannable(text).svg_data_uri(scale=4, border=4, light="#FFFFFF", dark="#000000"))


def link_field(key: str, address: str) -> None:
    """Show a link to copy, and its QR code."""
    _field("link", _LINK, _("Link"), _("Copy the link"))(key=f"share-{key}", data=address)
    try:
        code = qr_code(address)
    except ValueError as error:
        st.warning(str(error), icon=":material/qr_code:")
        return
    alt = html.escape(_("QR code of the link"), quote=True)
    st.html(f'<img class="qr-code" alt="{alt}" src="{html.escape(code)}">')


@cached()
def _field(name: str, field: str, label: str, copy: str) -> Any:
    """Return a field whose text can be copied."""
    code = language().replace("-", "_")
    return st.components.v2.component(
        f"share_{name}" if code == SOURCE else f"share_{name}_{code}",
        html=(field + _COPIES).format(label=html.escape(label), copy=html.escape(copy)),
        js=join_scripts(_HERE / "share.js"),
        isolate_styles=False,
    )


def _offer_file(url: str, settings: Sequence[Parameter]) -> None:
    """Show a button that saves all settings, tables and the pin as a file, and a field that opens one."""
    settings = (*settings, Pin(tuple(settings)), COMPARE)

    turn = st.session_state.get(_TURN, 0)

    def take_file() -> None:
        file = st.session_state.get(f"share-file-{turn}")
        if file is None:
            return
        st.session_state[_TURN] = turn + 1  # an empty field takes its place
        try:
            settings_file.take_over(settings_file.read(file.getvalue(), url, settings), settings)
            st.session_state[_FILE_MESSAGE] = (url, _("The file's settings stand on the page."))
        except ValueError as error:
            message = paragraph(f"{capital(str(error))}.", _("The picture stays as it was."))
            st.session_state[_FILE_MESSAGE] = (url, message)

    content = settings_file.to_json(url, settings_file.collect(settings))
    st.download_button(
        _("Save the settings as a file"),
        content,
        file_name=f"{url or 'overview'}.attention.json",
        mime="application/json",
        on_click="ignore",
        key="share-save",
    )
    st.file_uploader(
        _("Open a file of settings"),
        type="json",
        key=f"share-file-{turn}",
        on_change=take_file,
        max_upload_size=MAX_SETTINGS_BYTES // 1_000_000,
    )


_shared_snippet = shared(snippet)


def _page(url: str, settings: Sequence[Parameter], app: str) -> None:
    """Show the figure as HTML for another web page; it is made on demand, once for all visitors."""
    if not st.toggle(_("Put it on my page"), key="share-page"):
        return
    here = figures_link(url)
    try:
        if tables := state.left_out(settings):
            raise ValueError(_("Too long for a link: {tables}.", tables=_(", ").join(tables)))
        text = _shared_snippet(here, app)
    except (ValueError, LookupError) as error:
        none = _("This figure cannot be put on a page.")
        st.warning(paragraph(none, plain(str(error))), icon=":material/info:")
        return
    st.markdown(_("Paste this into any web page: the figure moves there without a server."))
    _field("snippet", _SNIPPET, _("The figure as HTML"), _("Copy the HTML"))(key="share-snippet", data=text)
    if COVER.name in st.query_params:
        st.caption(_("What is covered here is covered there too."))
    beside = _("It needs the folder `{folder}` beside the page, once for all figures there.", folder=NAME)
    st.markdown(beside)
    label = _("Download the folder as a ZIP ({size})", size=_size(len(files())))
    address = f".{PLOTLY_ROUTE}/{ARCHIVE}?v={files_version()}"
    st.html(f'<a class="share-files" href="{address}" download="{ARCHIVE}">{html.escape(label)}</a>')
    st.markdown(_("In MyST Markdown, for Sphinx or Jupyter Book:"))
    figures_url = figures_link(url, lang=False)  # a project has a language of its own
    st.code(
        f"```{{attention}} {figures_url if url else f'/{figures_url}'}\n```", language=None, wrap_lines=True
    )
    st.caption(
        _(
            "`{extension}` among the extensions of the project switches this on; this app's code must be "
            "installed there.",
            extension="attn_ui.publish.sphinx",
        )
    )


def figures_link(url: str, *, lang: bool = True) -> str:
    """Return the link of the figure on screen from the page's name on, without options of the page alone."""
    names = {PIN, COMPARE.name, COVER.name, PREDICT.name, PALETTE.name, DECIMALS.name}
    names |= {LANG.name} if lang else set()
    pairs = address_items(*({each.name for each in framing(())} - names))
    return f"{url}?{urlencode(pairs)}" if pairs else url


def files() -> bytes:
    """Return the ZIP of the files that figures on other pages share, with this server's plotly.js."""
    return archive(_bundle())


def files_version() -> str:
    """Return the hash of the ZIP, for its address."""
    return archive_version(_bundle())


def _bundle() -> Path | None:
    folder = hosting().plotly_js
    return plotly_js(folder).path if folder else None


def _size(n_bytes: int) -> str:
    return f"{n_bytes / 1000:.0f} kB" if n_bytes < 1_000_000 else f"{n_bytes / 1_000_000:.1f} MB"
