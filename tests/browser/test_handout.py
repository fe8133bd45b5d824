"""A lesson printed by the command: two files of A4 with the app's own pictures."""

from pathlib import Path

import pypdf
from playwright.sync_api import Browser

from attn_ui.export import handout
from attn_ui.lessons import shelf
from tests.app.test_handout import LESSON


def test_handout_command_prints_pictures_questions_and_solutions(
    browser: Browser, server: str, tmp_path: Path
) -> None:
    file = tmp_path / "mine.md"
    file.write_text(LESSON, encoding="utf-8")
    blank, solved = handout.make(shelf.open_lesson(file), tmp_path, server, browser)
    for path, told in ((blank, False), (solved, True)):
        (page,) = pypdf.PdfReader(path).pages
        text = page.extract_text()
        assert abs(page.mediabox.width - 595) < 2
        assert abs(page.mediabox.height - 842) < 2
        assert "How much?" in text
        assert ("A cause." in text) is told
        assert "single-head?stage=weights" in text
        assert "exp" in text, "the words of the picture"
