"""The uses of attention, by the names that links have."""

from pages.applications.application import Application
from pages.applications.views import captions, images, masks, speech, translation

VIEWS: dict[str, Application] = {
    "translation": translation,
    "BERT and GPT": masks,
    "images": images,
    "captions": captions,
    "speech": speech,
}
