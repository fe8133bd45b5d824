"""The uses of attention, by the names that links have."""

from pages.applications.application import Application
from pages.applications.settings import USE
from pages.applications.views import captions, images, masks, speech, translation

_EVERY = {
    "translation": translation.VIEW,
    "BERT and GPT": masks.VIEW,
    "images": images.VIEW,
    "captions": captions.VIEW,
    "speech": speech.VIEW,
}
VIEWS: dict[str, Application] = {name: _EVERY[name] for name in USE.options}
