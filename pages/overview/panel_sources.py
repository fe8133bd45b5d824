"""Which parts of the picture are computed from which: a row and its arcs are the map's."""

from types import MappingProxyType

_ROW = ("weights",)
PANEL_SOURCES = MappingProxyType({"weights": (), "sentence*": _ROW})
