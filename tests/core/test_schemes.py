import math

import pytest
import torch
import torch.nn.functional as F

from attn_core import POSITION_MISTAKES, SCHEMES, Positions, score_terms, sentence_vectors
from attn_core.schemes import by_offset, shift_difference, shuffle_difference
from tests.core.kinds import Draw, Refuses

N, D = 7, 10
TABLE = torch.randn(13, D, generator=torch.Generator().manual_seed(3), dtype=torch.float64)
NAMES = list(SCHEMES)


def placed(name: str, **settings: object) -> Positions:
    return Positions(name, table=TABLE if name == "learned" else None, **settings)  # type: ignore[arg-type]


class TestAttend:
    def test_i_love_dogs_with_the_ramp(self) -> None:
        x = torch.eye(4, dtype=torch.float64)[:3]
        digits = [
            [0.359867, 0.280265, 0.359867],
            [0.111457, 0.389025, 0.499518],
            [0.040690, 0.142023, 0.817287],
        ]
        torch.testing.assert_close(
            Positions("ramp").attend(x).weights, torch.tensor(digits).double(), atol=6e-7, rtol=0
        )

    def test_i_love_dogs_without(self) -> None:
        weights = Positions("none").attend(torch.eye(4, dtype=torch.float64)[:3]).weights
        assert [round(w, 6) for w in weights[1].tolist()] == [0.274069, 0.451863, 0.274069]

    @pytest.mark.parametrize("name", NAMES)
    def test_strength_zero_is_no_positions(self, name: str, draw: Draw) -> None:
        x = draw(N, D)
        attended, none = placed(name).attend(x, strength=0.0), Positions("none").attend(x)
        torch.testing.assert_close(attended.weights, none.weights)
        torch.testing.assert_close(attended.output, none.output)

    @pytest.mark.parametrize("name", NAMES)
    def test_a_batch_of_strengths(self, name: str, draw: Draw) -> None:
        x, strengths = draw(N, D), torch.tensor([0.0, 0.5, 2.0])
        together = placed(name).attend(x, strength=strengths.double(), start=2)
        for step, strength in enumerate(strengths.tolist()):
            alone = placed(name).attend(x, strength=strength, start=2)
            torch.testing.assert_close(together.weights.expand(3, N, N)[step], alone.weights)
            torch.testing.assert_close(together.output.expand(3, N, D)[step], alone.output)

    def test_alibi_is_the_mask_of_torch(self, draw: Draw) -> None:
        x = draw(N, D)
        slope = 2 ** (-8 * 3 / 8)
        bias = torch.tensor([[-slope * abs(i - j) for j in range(N)] for i in range(N)], dtype=torch.float64)
        expected = F.scaled_dot_product_attention(x[None], x[None], x[None], attn_mask=bias)[0]
        torch.testing.assert_close(Positions("ALiBi", head=2).attend(x).output, expected)

    def test_rotary_turns_pairs_as_complex_numbers(self, draw: Draw) -> None:
        x = draw(N, D)
        pairs = torch.view_as_complex(x.reshape(N, D // 2, 2))
        omega = 100.0 ** (-torch.arange(0, D, 2, dtype=torch.float64) / D)
        turned = torch.view_as_real(pairs * torch.exp(1j * torch.arange(N)[:, None] * omega)).reshape(N, D)
        torch.testing.assert_close(Positions("rotary", base=100.0).attend(x).scores, turned @ turned.T)

    @pytest.mark.parametrize("name", ["ramp", "sinusoidal", "rotary", "ALiBi", "buckets"])
    def test_keys_one_ahead(self, name: str) -> None:
        """Of equal words, key j seen one ahead is what key j + 1 is rightly."""
        x = torch.ones(N, D, dtype=torch.float64)
        right = placed(name).attend(x).scaled_scores
        ahead = placed(name).attend(x, key_shift=1).scaled_scores
        torch.testing.assert_close(ahead[:, :-1], right[:, 1:])

    def test_refusals(self, refuses: Refuses) -> None:
        with refuses("scheme must be one of"):
            Positions("spiral")
        with refuses("head must be a whole number from 0 to 7; got 8"):
            Positions("ALiBi", head=8)
        with refuses(r"needs a trained table \(limit, d_model\); got None"):
            Positions("learned")
        with refuses("positions 0 to 12 of width 10; got positions 9 to 15 of width 10"):
            placed("learned").vectors(N, D, start=9)


class TestShuffle:
    def test_without_positions_the_output_is_shuffled(self, draw: Draw) -> None:
        order = torch.tensor([3, 0, 6, 2, 5, 1, 4])
        difference = shuffle_difference(Positions("none"), draw(N, D), order)
        assert difference.abs().max() < 1e-14

    @pytest.mark.parametrize("name", [n for n in NAMES if n != "none"])
    def test_with_positions_it_is_not(self, name: str, draw: Draw) -> None:
        order = torch.tensor([3, 0, 6, 2, 5, 1, 4])
        assert shuffle_difference(placed(name), 0.3 * draw(N, D), order).abs().max() > 1e-3

    def test_alibi_does_not_see_the_direction(self, draw: Draw) -> None:
        assert shuffle_difference(Positions("ALiBi"), draw(N, D), torch.arange(N).flip(0)).abs().max() < 1e-14

    def test_refuses_what_is_no_permutation(self, refuses: Refuses, draw: Draw) -> None:
        with refuses("permutation of 0 to 6"):
            shuffle_difference(Positions("none"), draw(N, D), torch.tensor([0, 0, 1, 2, 3, 4, 5]))


class TestShift:
    @pytest.mark.parametrize("name", ["sinusoidal", "rotary", "ALiBi", "buckets"])
    def test_only_the_offset_counts(self, name: str) -> None:
        assert shift_difference(placed(name), N, D, torch.tensor([1, 5, 60])).abs().max() < 1e-12

    @pytest.mark.parametrize("name", ["ramp", "learned"])
    def test_the_place_counts(self, name: str) -> None:
        assert shift_difference(placed(name), N, D, torch.tensor([1, 5])).abs().amax(dim=(1, 2)).min() > 0.1


class TestSimilarity:
    def test_products_and_cosines(self) -> None:
        expected = [[float(a @ b) for b in TABLE[:N]] for a in TABLE[:N]]
        torch.testing.assert_close(
            placed("learned").similarity(N, D), torch.tensor(expected, dtype=torch.float64)
        )
        cosine = placed("learned").similarity(N, D, cosine=True)
        torch.testing.assert_close(cosine.diagonal(), torch.ones(N, dtype=torch.float64))
        assert cosine[2, 4] == pytest.approx(expected[2][4] / math.sqrt(expected[2][2] * expected[4][4]))

    def test_a_batch_of_bases(self) -> None:
        bases = torch.tensor([2.0, 100.0], dtype=torch.float64)
        for name in ("sinusoidal", "rotary"):
            together = Positions(name, base=bases).similarity(N, D)
            for base, one in zip(bases.tolist(), together, strict=True):
                torch.testing.assert_close(one, Positions(name, base=base).similarity(N, D))

    @pytest.mark.parametrize("name", ["sinusoidal", "rotary"])
    def test_the_profile_is_a_sum_of_cosines(self, name: str) -> None:
        omega = [50.0 ** (-2 * i / D) for i in range(D // 2)]
        expected = [sum(math.cos(k * w) for w in omega) / len(omega) for k in range(11)]
        profile = Positions(name, base=50.0).profile(11, D)
        torch.testing.assert_close(profile, torch.tensor(expected, dtype=torch.float64))

    def test_alibi_decays(self) -> None:
        profile = Positions("ALiBi", num_heads=8, head=0).profile(5, D)
        torch.testing.assert_close(profile, torch.exp(-0.5 * torch.arange(5, dtype=torch.float64)))

    def test_by_offset(self, draw: Draw) -> None:
        values = draw(3, N, N)
        low, mean, high = by_offset(values)
        for column, offset in enumerate(range(1 - N, N)):
            at = [values[1, i, i + offset].item() for i in range(N) if 0 <= i + offset < N]
            got = (low[1, column], mean[1, column], high[1, column])
            assert [float(g) for g in got] == pytest.approx([min(at), sum(at) / len(at), max(at)])


@pytest.mark.parametrize("name", NAMES)
def test_the_parts_sum_to_the_score(name: str, draw: Draw) -> None:
    x = draw(N, D)
    attended = placed(name).attend(x, strength=1.3, start=1)
    for query, key in ((0, 0), (2, 5), (6, 1)):
        parts = score_terms(placed(name), x, query, key, strength=1.3, start=1)
        assert sum(parts.values()) == pytest.approx(attended.scaled_scores[query, key].item(), abs=1e-12)


@pytest.mark.parametrize("name", list(POSITION_MISTAKES))
def test_each_mistake_fails_its_check(name: str) -> None:
    x = sentence_vectors(["the", "cat", "sat", "on", "the", "mat"], 16, kind="one-hot")
    compared = POSITION_MISTAKES[name].compare(x, 10000.0)
    assert compared.holds == (True, False)
    assert compared.right.shape == compared.broken.shape
    assert (compared.right - compared.broken).abs().max() > 0.01


def test_at_base_one_all_pairs_share_one_frequency_and_the_mistake_does_not_show() -> None:
    x = sentence_vectors(["a", "b", "c"], 16)
    compared = POSITION_MISTAKES["one frequency"].compare(x, 1.0)
    assert compared.holds == (False, False)
