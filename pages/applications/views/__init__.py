"""The uses of attention, by their names in a link."""

from pages.applications.application import Application
from pages.applications.views import image_captions, images, masks, speech, translation

VIEWS: dict[str, Application] = {
    "translation": translation,
    "BERT and GPT": masks,
    "images": images,
    "captions": image_captions,
    "speech": speech,
}
