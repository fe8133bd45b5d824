"""Known weaknesses of what is installed: ``python -m tests.audit`` asks the package index by pip-audit."""

import json
import subprocess
import sys
from typing import Any


def verdict(said: str) -> tuple[bool, str]:
    """Judge what pip-audit found: whether there is no weakness that is known, and a sentence.

    Args:
        said: its report as JSON; anything else where it could not ask.
    """
    try:
        packages: list[dict[str, Any]] = json.loads(said)["dependencies"]
    except (ValueError, KeyError, TypeError):
        return True, "Unknown: the package index cannot be reached, so no weakness was looked up."
    weak = [each for each in packages if each.get("vulns")]
    if weak:
        named = [
            f"{each['name']} {each['version']}: {', '.join(one['id'] for one in each['vulns'])}"
            for each in weak
        ]
        return False, "\n".join(["Known weaknesses:", *named])
    silent = sum("skip_reason" in each for each in packages)
    if silent == len(packages):
        return True, f"Unknown: the package index answered for 0 of {silent} packages."
    known = f"No known weakness in {len(packages) - silent} of {len(packages)} packages"
    return True, f"{known}; unknown for {silent}." if silent else f"{known}."


def main() -> None:
    """Ask, and say what came of it; end with an error where a weakness is known."""
    command = [sys.executable, "-m", "pip_audit", "--local", "--progress-spinner", "off", "--format", "json"]
    asked = subprocess.run(command, capture_output=True, text=True, check=False)
    sound, sentence = verdict(asked.stdout)
    print(sentence)
    sys.exit(not sound)


if __name__ == "__main__":
    main()
