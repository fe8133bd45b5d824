"""Makes Streamlit's AppTest quick: what it does at every run, and need do once.

It looks through all installed packages for components, and compiles the scripts of the app. Python's
collector looks through all that was imported, again and again, as it does not on the server
(`attn_ui/host/server.py`): of a page that is opened that is half of the time.
"""

import gc
import os
from functools import cache
from typing import Any, ClassVar

from streamlit.components.v2 import manifest_scanner
from streamlit.runtime.scriptrunner.script_cache import ScriptCache
from streamlit.testing.v1 import local_script_runner


def look_for_components_once() -> None:
    """Keep what the first look finds, and each script that is compiled."""
    manifest_scanner.scan_component_manifests = cache(manifest_scanner.scan_component_manifests)
    setattr(local_script_runner, "ScriptCache", Scripts)  # noqa: B010  (a name that it only imports)
    local_script_runner.require_widgets_deltas = _wait_for


_ask_again_and_again = local_script_runner.require_widgets_deltas


def _wait_for(runner: local_script_runner.LocalScriptRunner, timeout: float = 3) -> None:
    """Wait until a run has ended; asked each millisecond, as Streamlit does, it takes a tenth longer."""
    if (thread := runner._script_thread) is not None:
        thread.join(timeout)
    _ask_again_and_again(runner, timeout)  # says so where it has not


def leave_imports_to_themselves() -> None:
    """Let the collector of garbage look at nothing of what is there now."""
    gc.collect()
    gc.freeze()


class Scripts(ScriptCache):
    """Scripts as they are compiled, for all sessions; a file that changed is compiled anew."""

    _compiled: ClassVar[dict[tuple[str, int, int], Any]] = {}

    def get_bytecode(self, script_path: str) -> Any:
        """Return what a script compiles to."""
        state = os.stat(script_path)
        key = (os.path.abspath(script_path), state.st_mtime_ns, state.st_size)
        if key not in self._compiled:
            self._cache.clear()
            self._compiled[key] = super().get_bytecode(script_path)
        return self._compiled[key]
