"""The largest examples that stay readable. The pages keep to these bounds; the mathematics has none."""

from typing import Final

MAX_TOKENS: Final = 64
"""Tokens of a sentence on a toy page."""

MAX_MODEL_TOKENS: Final = 128
"""Tokens of a sentence that a real model reads."""

MAX_HEADS: Final = 16
"""Attention heads drawn in one figure."""

MAX_D_MODEL: Final = 128
"""Width of an embedding."""

MAX_KERNEL_POINTS: Final = 500
"""Training points of a kernel regression."""

MAX_CSV_BYTES: Final = 1_000_000
"""Size of an uploaded table: 1 MB."""

MAX_CSV_ROWS: Final = 5_000
"""Rows of an uploaded table."""

MAX_MAPS_BYTES: Final = 8_000_000
"""Size of an uploaded file of attention weights: 8 MB."""

MAX_SETTINGS_BYTES: Final = 1_000_000
"""Size of an uploaded file of settings: 1 MB."""

MAX_TABLE_COLUMNS: Final = 16
"""Numbers in a row of a typed matrix."""

MAX_SESSION_BYTES: Final = 3 * MAX_MAPS_BYTES
"""Uploaded files that one visitor may keep on the server: 24 MB."""

MAX_PROCESS_BYTES: Final = 200_000_000
"""Uploaded files that one process keeps for all its visitors: 200 MB."""
