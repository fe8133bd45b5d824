"""Which panels are computed from which: a row and its arcs come from the map."""

from types import MappingProxyType

_ROW = ("weights",)
PANEL_SOURCES = MappingProxyType({"weights": (), "sentence*": _ROW})
