"""What courses say, the tab Maths: formulas are whole, explained, and true of what the claims measure."""

import re
from itertools import product

import pytest
import torch

from attn_core.claims import Study
from attn_core.claims.heads import rows_in
from attn_ui.base.latex import formulas_in
from attn_ui.base.terms import compounds
from attn_words import _, speaking
from pages.what_courses_say.claim import seeds_from
from pages.what_courses_say.claims import CLAIMS
from pages.what_courses_say.settings import CLAIM
from pages.what_courses_say.terms import letters
from tests.latex import evaluate
from tests.pages import open_sound


def tight(latex: str) -> str:
    """Take out spaces, which mean nothing in LaTeX."""
    return re.sub(r"\s", "", latex)


@pytest.mark.parametrize("name", CLAIM.options)
def test_claim_formula_is_complete_and_its_letters_explained(name: str) -> None:
    claim = CLAIMS[name]
    formula = claim.formula
    depth = 0
    for brace in re.findall(r"(?<!\\)[{}]", formula):
        depth += 1 if brace == "{" else -1
        assert depth >= 0, formula
    assert depth == 0, formula
    for left, right in ((r"\left", r"\right"), (r"\begin{", r"\end{"), (r"\lVert", r"\rVert")):
        assert formula.count(left) == formula.count(right), left
    assert "=" in formula
    assert claim.in_words.count("$") % 2 == 0
    letters = re.findall(r"\$(.*?)\$", claim.in_words)
    assert letters
    for letter in letters:
        assert tight(letter) in tight(formula), letter


@pytest.mark.parametrize("name", CLAIM.options)
def test_claim_maths_opens_first_with_formula_and_words(name: str) -> None:
    at = open_sound("what-courses-say", claim=name)
    assert CLAIMS[name].formula in [each.value.strip("$\n ") for each in at.latex]
    assert CLAIMS[name].in_words in [each.value for each in at.markdown]


@pytest.mark.parametrize("name", CLAIM.options)
def test_claim_letters_are_explained_in_chinese(name: str) -> None:
    def explained() -> set[str]:
        return {each.key for each in letters(compounds()) if each.on == f"what_courses_say:{name}"}

    english, formulas = explained(), sorted(formulas_in(CLAIMS[name].in_words))
    with speaking("zh"):
        assert explained() == english
        assert sorted(formulas_in(_(CLAIMS[name].in_words))) == formulas


def study_of(name: str) -> Study:
    return CLAIMS[name].measure(seeds_from(4))


@pytest.mark.parametrize("n", [1, 2, 8, 64])
@pytest.mark.parametrize("measure", ["steps", "operations"])
@pytest.mark.parametrize("who", ["attention", "RNN", "linear recurrence", "attention that writes"])
def test_claim_formulas_of_steps_and_operations_equal_counts(who: str, measure: str, n: int) -> None:
    claim = CLAIMS["runs in parallel"].formula
    part = claim.split(r"\text{operations:}")[measure == "operations"]
    right = re.split(r"\\\\|\\end", part.split(rf"\text{{{who}}} = ", 1)[1])[0]
    right = (
        re.sub(r"\^(\d)", r"^{\1}", right).replace(r"\log_2 n", "L").replace(r"\lceil \log_2 t \rceil", "L")
    )
    if right.startswith(r"\sum"):
        term = re.sub(r"^\\sum_\{t=1\}\^\{n\}\s*", "", right).replace(r"\bigl", "").replace(r"\bigr", "")
        # The bit length of t - 1 is the logarithm of t, rounded up.
        value = sum(evaluate(term, {"t": t, "L": (t - 1).bit_length()}) for t in range(1, n + 1))
    else:
        value = evaluate(right, {"n": n, "L": n.bit_length() - 1})
    assert study_of("runs in parallel").at(measure, who, n).tolist() == [value]


@pytest.mark.parametrize("p", [1, 10, 40, 63])
def test_claim_formulas_of_ramp_and_sinusoid_equal_their_numbers(p: int) -> None:
    study, formula = study_of("linear positions"), CLAIMS["linear positions"].formula
    ramp, sinusoid = (formula.split(rf"\text{{{name}: }}")[1] for name in ("ramp", "sinusoid"))
    rest = re.split(r"\\\\|\\end", ramp)[0]
    length, dot = (part.split("=")[1] for part in rest.split(r", \quad "))
    assert study.at("length", "ramp", p).item() == pytest.approx(evaluate(length, {"p": p}))
    assert study.at("product", "ramp", p).item() == pytest.approx(evaluate(dot, {"p": p}))
    length, dot = (part.split("=", 1)[1] for part in sinusoid.split(r", \quad "))
    assert study.at("length", "sinusoid", p).item() == pytest.approx(evaluate(length, {}))
    term = dot.replace(r"\sum_{i=0}^{7}", "").replace(r"\end{gathered}", "")
    exponent = re.search(r"\\omega_i = (10000\^\{[^}]*\})", formula)
    assert exponent
    frequencies = [evaluate(exponent[1], {"i": i}) for i in range(8)]
    total = sum(evaluate(term, {r"\omega_i": each}) for each in frequencies)
    assert study.at("product", "sinusoid", p).item() == pytest.approx(total)
    text = formula.split(r"\text{share} = ")[1].split(r" \\[4pt]")[0]
    for name, omega in (("fastest sine", frequencies[0]), ("slowest sine", frequencies[-1])):
        value = evaluate(text, {r"\omega_i": omega, "p": p})
        assert study.at("share of a straight line", name, p).item() == pytest.approx(value)


@pytest.mark.parametrize("heads", [1, 2, 4, 8])
def test_claim_formula_of_parameters_equals_their_count(heads: int) -> None:
    formula = re.sub(r"\^(\d)", r"^{\1}", CLAIMS["parameters"].formula)
    formula = formula.replace(r"d_{\text{head}}", "a").replace(r"d_{\text{model}}", "b")
    first = formula.split(r"\text{parameters} = ")[1].split(r"\\")[0]
    assert first.count("=") == 1
    for width, name in ((16 // heads, "d_model / heads"), (16, "d_model")):
        known = {"h": heads, "a": width, "b": 16}
        (wanted,) = study_of("parameters").at("parameters", name, heads).tolist()
        assert [evaluate(side, known) for side in first.split("=")] == [wanted, wanted]
    paper, whole = re.findall(r": \\quad (.*?)(?:, \\qquad| \\end)", formula)
    for text, name in ((paper, "d_model / heads"), (whole, "d_model")):
        (wanted,) = study_of("parameters").at("parameters", name, heads).tolist()
        assert evaluate(text, {"h": heads, "b": 16}) == wanted


@pytest.mark.parametrize(("layout", "n_head", "d_head"), list(product(("d k h", "h d k"), (1, 3), (2, 4))))
def test_claim_formula_of_a_layout_has_the_places_of_its_rows(layout: str, n_head: int, d_head: int) -> None:
    formula = CLAIMS["(d k h)"].formula.split(rf"\text{{ ({layout})}}: \quad ")[1].split(r" \\[4pt]")[0]
    for greek, letter in ((r"\delta", "x"), (r"\kappa", "y"), (r"\eta", "z")):
        formula = formula.replace(greek, letter)
    # Rows in the order "k h d" are numbered one after the other; where does the layout put each?
    order = rows_in(layout, "k h d", n_head, d_head)
    for kind, head, number in product(range(3), range(n_head), range(d_head)):
        known = {"h": n_head, "d": d_head, "x": number, "y": kind, "z": head}
        assert order[int(evaluate(formula, known))] == (kind * n_head + head) * d_head + number


@pytest.mark.parametrize("step", [0.0, 0.1, 0.5, 1.0])
def test_claim_formula_of_a_phrase_score_gives_its_weights(step: float) -> None:
    formula = CLAIMS["grammar"].formula.split(r"x_p \cdot x_r = ")[1].split(r" \end")[0]
    same, rest = formula.split(" + ", 1)
    assert same == "[p = r]"
    rest = re.sub(r"\^(\d)", r"^{\1}", rest).replace(r"\delta", "s")
    row = [float(r == 1) + evaluate(rest, {"s": step, "p": 1, "r": r}) for r in range(3)]
    weights = (torch.tensor(row, dtype=torch.float64) / 2).softmax(dim=0)
    study = study_of("grammar")
    assert study.at("weight on dogs", "I love dogs", step).item() == pytest.approx(weights[2].item())
    # Turned round, “dogs” stands first.
    assert study.at("weight on dogs", "dogs love I", step).item() == pytest.approx(weights[0].item())


def test_claim_formula_of_the_printed_weight_equals_it() -> None:
    formula = CLAIMS["with positions"].formula
    fraction, printed = formula.split("w_{pp} = ")[1].split(r" \end")[0].split(" = ")[-2:]
    inside = fraction.replace(r"\exp(1/2)", "a")
    value = evaluate(inside, {"a": float(torch.tensor(0.5, dtype=torch.float64).exp())})
    assert value == pytest.approx(float(printed), abs=5e-5)
    assert study_of("with positions").at("own weight", "love", 0.0).item() == pytest.approx(value)
