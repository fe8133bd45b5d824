"""What a model says next, against transformers' logits, its own warpers, and sums over what is added."""

from pathlib import Path
from typing import Any

import pytest
import torch
import transformers

from attn_core import load_model
from attn_core.next_token import keep_likeliest, next_of_model, next_of_toy
from attn_core.toys import TASKS, packaged_run
from tests import small_models

TEXT = "the cat sat on the mat"


def save_writer(folder: Path, name: str) -> Any:
    """Save a model that predicts tokens, with its tokenizer; return transformers' own."""
    theirs = small_models.random_model(small_models.CONFIGS[name](), transformers.AutoModelForCausalLM)
    theirs.save_pretrained(folder)
    small_models.as_transformers(small_models.TOKENIZERS[name]()).save_pretrained(folder)
    return theirs


@pytest.mark.parametrize("name", ["gpt2", "llama", "mistral", "qwen2", "qwen3", "gemma", "gemma 2"])
def test_logits_lens_and_parts_are_transformers(name: str, tmp_path: Path) -> None:
    theirs = save_writer(tmp_path, name)
    model = load_model(tmp_path)
    trace = model.trace(TEXT)
    ids = torch.tensor([trace.encoding.ids])
    with torch.no_grad():
        result = theirs(ids, output_hidden_states=True)
    torch.testing.assert_close(trace.logits, result.logits[0, -1], atol=1e-4, rtol=0)
    if name == "gemma 2":
        with pytest.raises(ValueError, match="norm"):
            next_of_model(trace)
        return
    prediction = next_of_model(trace)
    base = theirs.base_model
    norm = base.ln_f if name == "gpt2" else base.norm
    for layer, hidden in enumerate(result.hidden_states):
        with torch.no_grad():
            logits = theirs.lm_head(hidden if layer == model.n_layer else norm(hidden))[0]
        chances, winners = logits.softmax(-1).max(-1)
        torch.testing.assert_close(prediction.winners[layer], winners)
        torch.testing.assert_close(prediction.chances[layer], chances, atol=1e-5, rtol=0)
    assert prediction.heads is not None
    assert float(prediction.heads.sum()) + sum(prediction.rest.values()) == pytest.approx(
        float(trace.logits.max()), abs=1e-4
    )


@pytest.mark.parametrize("name", ["gpt2", "llama", "gemma"])
def test_head_part_is_its_output_under_a_fixed_norm(name: str, tmp_path: Path) -> None:
    save_writer(tmp_path, name)
    trace = load_model(tmp_path).trace(TEXT)
    prediction, last = next_of_model(trace), trace.residual[-1, -1].double()
    norm, head = trace.norm.double(), trace.head.double()
    winner = int(trace.logits.argmax())
    feed_forward = sum(
        trace.residual[at + 1, -1] - trace.residual[at, -1] - each.output[0, -1]
        for at, each in enumerate(trace.layers)
    )
    assert prediction.heads is not None
    assert isinstance(feed_forward, torch.Tensor)
    parts = [(prediction.rest["feed-forward layers"], feed_forward.double())]
    parts += [
        (float(prediction.heads[layer, at]), each.contributions[0, at, -1].double())
        for layer, each in enumerate(trace.layers)
        for at in range(4)
    ]
    for part, vector in parts:
        # Both scaled alike: a vector that leaves the norm's divisor as it is.
        centred = [each - each.mean() if name == "gpt2" else each for each in (last, vector)]
        across = centred[1] - centred[0] * (centred[0] @ centred[1]) / (centred[0] @ centred[0])
        step = 1e-2 / float(across.norm())  # the norm of transformers computes in single precision
        sideways = (head(norm(last + step * across)) - head(norm(last - step * across)))[winner] / 2
        along = (centred[0] @ centred[1]) / (centred[0] @ centred[0])
        whole = head(norm(last))[winner] - head(norm(torch.zeros_like(last)))[winner]
        assert part == pytest.approx(float(sideways / step + along * whole), abs=1e-3)


def test_likely_tokens_equal_those_of_transformers() -> None:
    logits = torch.randn(60, generator=torch.Generator().manual_seed(0)) * 3
    for temperature, top_k, top_p in [
        (1.0, 60, 1.0),
        (0.5, 10, 0.9),
        (2.0, 60, 0.7),
        (1.0, 3, 0.99),
        (1.0, 60, 0.01),
    ]:
        processors = [
            transformers.TemperatureLogitsWarper(temperature),
            transformers.TopKLogitsWarper(top_k),
            transformers.TopPLogitsWarper(top_p),
        ]
        scores = logits[None]
        for each in processors:
            scores = each(torch.zeros(1, 1, dtype=torch.long), scores)
        chances, survivors = keep_likeliest(logits, temperature=temperature, top_k=top_k, top_p=top_p)
        assert torch.equal(survivors, scores[0].isfinite())
        torch.testing.assert_close(
            chances * survivors / chances[survivors].sum(), scores[0].softmax(-1), check_dtype=False
        )


@pytest.mark.parametrize("off", [(), (1,), (0, 3)])
def test_toy_heads_sum_to_its_logits(off: tuple[int, ...]) -> None:
    task, run = TASKS["induction"], packaged_run("induction")
    model, tokens = run.model(len(run.checkpoints) - 1), TASKS["induction"].tokens(task.example)
    result = model(tokens, off=off)
    prediction = next_of_toy(model, result, off=off)
    torch.testing.assert_close(prediction.logits, result.logits[-1])
    torch.testing.assert_close(prediction.winners[-1], result.logits.argmax(-1))
    assert prediction.heads is not None
    assert float(prediction.heads.sum()) == pytest.approx(float(prediction.logits.max()), abs=1e-4)
    assert not prediction.heads.flatten()[list(off)].any()
    assert prediction.winners.shape == (2, len(tokens))


def test_next_token_of_an_encoder_is_refused(tmp_path: Path) -> None:
    model = load_model(small_models.write(tmp_path, "gpt2"))
    with pytest.raises(ValueError, match="predicts"):
        model.trace(TEXT)
