"""What the page shows, whichever of its looks is open."""

from pages.learned_heads.clouds import HeadClouds
from pages.learned_heads.compute import Now
from pages.learned_heads.evicted import Evicted
from pages.learned_heads.state import Heads
from pages.learned_heads.text_flow import TextFlow

Found = Now | Heads | TextFlow | Evicted | HeadClouds | None  # None where nothing can be drawn yet
