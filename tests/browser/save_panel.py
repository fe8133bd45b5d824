"""The panel that saves a figure, as a browser test drives it."""

from pathlib import Path

from playwright.sync_api import expect

from tests.browser.app_page import AppPage


class SavePanel:
    """The panel of one live figure, opened."""

    def __init__(self, app: AppPage, key: str) -> None:
        self.app = app
        app.figure(key).locator("[data-live=save]").click()
        self.dialog = app.page.locator("dialog.save-panel")
        expect(self.dialog).to_be_visible()

    def choose(self, **chosen: str | bool) -> None:
        """Choose a file, a shape, a size, colours; tick large type or caption."""
        for name, value in chosen.items():
            if isinstance(value, bool):
                self.dialog.locator(f"input[name={name}]").set_checked(value)
            else:
                self.dialog.locator(f'input[name={name}][value="{value}"]').check()

    def save(self, folder: Path, form: str, **look: str | bool) -> Path:
        """Save a file of a form and look, once it was made and is shown."""
        self.choose(format=form, **look)
        self.made(form)
        with self.app.page.expect_download() as download:
            self.dialog.locator("[data-live=file]").click()
        path = folder / download.value.suggested_filename
        download.value.save_as(path)
        return path

    def made(self, form: str) -> None:
        """Wait until the file that was chosen last is made and shown."""
        made = self.dialog.and_(self.app.page.locator(f"[data-made={form}], [data-made=failed]"))
        expect(made).to_be_visible()
        assert self.dialog.get_attribute("data-made") == form, self.said

    @property
    def said(self) -> str:
        """What the panel says of the file."""
        return self.dialog.locator(".save-panel-said").inner_text()

    def close(self) -> None:
        """Close the panel by its key."""
        self.app.page.keyboard.press("Escape")
        expect(self.dialog).to_have_count(0)
