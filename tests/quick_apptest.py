"""Makes Streamlit's AppTest quick: it looks through all installed packages for components at every run."""

from functools import cache

from streamlit.components.v2 import manifest_scanner


def look_for_components_once() -> None:
    """Keep what the first look finds; half of a run's time went into the others."""
    manifest_scanner.scan_component_manifests = cache(manifest_scanner.scan_component_manifests)
