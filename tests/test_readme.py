"""The README says what is true: its code runs, its files are there, its commands exist."""

import re
from pathlib import Path

import pytest

from attn_core import read_attention

ROOT = Path(__file__).resolve().parents[1]
TEXTS = sorted(ROOT.glob("*.md")) + sorted(ROOT.glob("deploy/*.md"))
README = (ROOT / "README.md").read_text()


SNIPPETS = re.findall(r"```python\n(.*?)```", README, re.DOTALL)


@pytest.mark.parametrize("code", SNIPPETS)
def test_every_snippet_runs(code: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    exec(compile(code, "README.md", "exec"), {})
    assert (tmp_path / "weights.html").stat().st_size > 1000


SMALL = "hidden_size=32, num_hidden_layers=2, num_attention_heads=4, intermediate_size=48"
BODIES = {
    "bert": f"t.BertModel(t.BertConfig({SMALL})), {{'input_ids': torch.arange(6)[None]}}",
    "gpt2": (
        "t.GPT2Model(t.GPT2Config(n_embd=32, n_layer=2, n_head=4)), {'input_ids': torch.arange(6)[None]}"
    ),
    "vit": (
        f"t.ViTModel(t.ViTConfig({SMALL}, image_size=8, patch_size=4)), "
        "{'pixel_values': torch.randn(1, 3, 8, 8)}"
    ),
}


@pytest.mark.parametrize("body", BODIES)
def test_the_snippet_that_captures_runs_on_other_models(
    body: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (code,) = [code for code in SNIPPETS if "capture(model" in code]
    line = next(line for line in code.splitlines() if line.startswith("model, inputs = "))
    code = code.replace(line, f"import transformers as t\nmodel, inputs = {BODIES[body]}")
    exec(compile(code, "README.md", "exec"), {})
    names = [line.split(" tensor")[0] for line in capsys.readouterr().out.splitlines()]
    assert len(names) == 2
    assert all(re.search(rf"\.{layer}\..*att", name) for layer, name in enumerate(names)), names
    maps = read_attention("heads.npz", Path("heads.npz").read_bytes()).maps
    assert [weights.shape[0] for weights in maps.values()] == [4, 4]


@pytest.mark.parametrize("text", TEXTS, ids=lambda path: path.name)
def test_every_link_leads_somewhere(text: Path) -> None:
    for target in re.findall(r"\]\((?!https?:)([^)#]+)\)", text.read_text()):
        assert (text.parent / target).exists(), f"{text.name} links to {target}"


def test_every_command_of_make_exists() -> None:
    targets = set(re.findall(r"^(\w+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    for text in TEXTS:
        assert set(re.findall(r"^    make (\w+)", text.read_text(), re.MULTILINE)) <= targets


def test_every_requirement_is_pinned() -> None:
    for path in ROOT.glob("requirements*.txt"):
        for line in path.read_text().splitlines():
            requirement = line.partition("#")[0].strip()
            pinned = requirement.startswith(("-r ", "--hash=")) or "==" in requirement
            assert not requirement or pinned, line
