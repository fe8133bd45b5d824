"""Learned heads as a lesson: an induction head is born under the slider, and a sequence is continued."""

import numpy as np
import pytest
import torch

from attn_core.toys import LETTERS, SYMBOLS, TASKS, packaged_run
from tests.browser.app_page import AppPage

pytestmark = pytest.mark.still


@pytest.mark.essential
def test_induction_head_forms_and_a_typed_sequence_is_answered(app: AppPage) -> None:
    run, task = packaged_run("induction"), TASKS["induction"]
    steps = [each.step for each in run.checkpoints]
    app.open("learned-heads")
    assert app.readout("learned") == str(steps[-1])
    box = app.slider("learned").bounding_box()
    assert box is not None
    middle, width = box["y"] + box["height"] / 2, box["width"] - 16
    app.page.mouse.move(box["x"] + 8 + width, middle)
    app.page.mouse.down()
    sent = len(app.sent)
    right = task.right(task.tokens(task.example))
    for at in (0, len(steps) // 2, len(steps) - 1, len(steps) // 4):
        app.page.mouse.move(box["x"] + 8 + width * at / (len(steps) - 1), middle, steps=2)
        app.page.wait_for_function(
            "n => document.querySelector('.st-key-learned .live-figure').dataset.step === String(n)", arg=at
        )
        assert app.readout("learned") == str(steps[at])
    assert len(app.sent) == sent  # nothing was asked of the server
    app.page.mouse.up()
    app.settle()
    before, last = len(steps) // 4, len(steps) - 1
    assert app.query == f"training={steps[before]}"
    shown = []
    for at in (before, last):
        if at == last:
            app.press("learned", "End")
        with torch.no_grad():
            weights = run.model(at)(task.tokens(task.example)).weights
        head = int(run.curve.at(steps[-1]).measures["induction"].argmax())
        name = f"head {1 + head // 2}.{1 + head % 2}"
        drawn = np.nan_to_num(np.array(app.trace("learned", name), dtype=float))
        np.testing.assert_allclose(drawn, weights[head], atol=1e-5)
        asked = right.any(dim=-1).numpy()
        shown.append(float((drawn * right.numpy()).sum(axis=-1)[asked].mean()))
    assert shown[1] > 0.9 > shown[0] + 0.2

    field = app.page.get_by_role("textbox", name="Your sequence")
    field.fill("nmlnmln")
    field.press("Enter")
    app.settle()
    said = np.array(app.trace("learned", "prediction"), dtype=float)
    with torch.no_grad():
        chances = run.model(-1)(task.tokens("nmlnmln")).logits.softmax(dim=-1)
    np.testing.assert_allclose(said, chances, atol=1e-5)
    told = app.page.get_by_test_id("stMain").inner_text()
    spoken = " ".join(SYMBOLS[each] for each in chances.argmax(dim=-1)[3:].tolist())
    assert spoken == "m l n m"
    assert f"– – – {spoken}: 4 of 4 right." in told

    field.fill("what?")
    field.press("Enter")
    app.settle()
    told = app.page.get_by_test_id("stApp").inner_text()
    assert f"needs the letters {LETTERS[0]} to {LETTERS[-1]}" in told
    assert f"shows “{task.example}”" in told
    assert np.shape(app.trace("learned", "prediction"))[0] == len(task.example)
    app.unfold()
    app.page.get_by_test_id("stSidebar").get_by_test_id("stButtonGroup").get_by_text(
        "2.2", exact=True
    ).click()
    app.settle()
    told = app.page.get_by_test_id("stMain").inner_text()
    assert "Without head 2.2: " in told
    assert app.errors == []
