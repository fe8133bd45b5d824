"""Scores by name, the dot product among them: how well a key fits a query."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

import torch
import torch.nn.functional as F
from jaxtyping import Bool, Float
from torch import Tensor

from attn_core import _require
from attn_core.attention import Attention, scaled_dot_product_attention
from attn_core.checks import Check, compare
from attn_words import N_

DOT = "dot product"
ScoreParameters = Mapping[str, Tensor]
Terms = tuple[Tensor, Tensor]


@dataclass(frozen=True)
class Score:
    """One way to score a key for a query.

    ``formula`` is LaTeX in q_i and k_j. ``terms`` returns two factors that broadcast to (n_query, n_key, d):
    the score is the sum of their products over d, or the logarithm of this sum if there are ``log_terms``,
    the logarithms of the factors, for factors that underflow. ``is_scaled`` is whether the score grows with
    the width, so that a scale makes sense; ``shapes`` are the score's own weights: names, and numbers of
    axes, each of size d_k.
    """

    name: str
    formula: str
    terms: Callable[[Tensor, Tensor, ScoreParameters], Terms]
    is_scaled: bool = False
    log_terms: Callable[[Tensor, Tensor, ScoreParameters], Terms] | None = None
    shapes: tuple[tuple[str, int], ...] = ()

    @property
    def is_log(self) -> bool:
        """Whether the score is a logarithm, so that softmax at T = 1 divides by the row's sum alone."""
        return self.log_terms is not None


def _dot(query: Tensor, key: Tensor, _parameters: ScoreParameters) -> Terms:
    return query[:, None], key


def _additive(query: Tensor, key: Tensor, parameters: ScoreParameters) -> Terms:
    return parameters["v_a"], torch.tanh((query @ parameters["W_a"])[:, None] + key @ parameters["U_a"])


def _general(query: Tensor, key: Tensor, parameters: ScoreParameters) -> Terms:
    return (query @ parameters["W_a"])[:, None], key


def _cosine(query: Tensor, key: Tensor, _parameters: ScoreParameters) -> Terms:
    return F.normalize(query, dim=-1)[:, None], F.normalize(key, dim=-1)


def _kernel(query: Tensor, key: Tensor, _parameters: ScoreParameters) -> Terms:
    apart = query[:, None] - key
    return -apart / 2, apart


def _linear(query: Tensor, key: Tensor, _parameters: ScoreParameters) -> Terms:
    return feature_map(query)[:, None], feature_map(key)


def _log_linear(query: Tensor, key: Tensor, _parameters: ScoreParameters) -> Terms:
    return _log_features(query)[:, None], _log_features(key)


def _log_features(x: Tensor) -> Tensor:
    """Return the logarithm of `feature_map`, exact where the feature itself underflows."""
    return torch.where(x > 0, x.clamp(min=0).log1p(), x)


def feature_map(x: Float[Tensor, "*n d"]) -> Float[Tensor, "*n d"]:
    r"""Return the features of linear attention, which take the place of queries and keys.

    $$\phi(x) = \mathrm{elu}(x) + 1 = \begin{cases} x + 1 & x > 0 \\ e^x & x \le 0 \end{cases}$$

    ``x`` (*n, d). Invariant: no number is below zero. For x <= 0 exp(x) is computed directly, not as elu + 1.

    Source: Katharopoulos et al. (2020), Transformers are RNNs, section 3.2.1.

    >>> feature_map(torch.tensor([1.0, 0.0, -100.0], dtype=torch.float64)).tolist()
    [2.0, 1.0, 3.720075976020836e-44]
    """
    return torch.where(x > 0, x + 1, x.clamp(max=0).exp())


SCORES: Mapping[str, Score] = MappingProxyType(
    {
        each.name: each
        for each in (
            Score(DOT, r"q_i^\top k_j", _dot, is_scaled=True),
            Score(
                "additive",
                r"v_a^\top \tanh(W_a^\top q_i + U_a^\top k_j)",
                _additive,
                shapes=(("W_a", 2), ("U_a", 2), ("v_a", 1)),
            ),
            Score("general", r"q_i^\top W_a k_j", _general, is_scaled=True, shapes=(("W_a", 2),)),
            Score("cosine", r"\frac{q_i^\top k_j}{|q_i|\,|k_j|}", _cosine),
            Score("kernel", r"-\tfrac{1}{2} |q_i - k_j|^2", _kernel, is_scaled=True),
            Score("linear", r"\log\bigl(\phi(q_i)^\top \phi(k_j)\bigr)", _linear, log_terms=_log_linear),
        )
    }
)


def score_weights(score: str, d_k: int, *, seed: int) -> dict[str, Float[Tensor, "..."]]:
    r"""Draw the weights of a score; empty for a score without weights.

    $$W_a, U_a \sim \mathcal{N}(0, 1 / d_k), \qquad v_a \sim \mathcal{N}(0, 1)$$

    W_a and U_a (d_k, d_k) take a row vector from the left, v_a is (d_k,). One generator, seeded with
    ``seed`` + 1 so that they do not repeat the numbers of projections from ``seed``, draws them in the order
    W_a, U_a, v_a; in float64.

    Raises ValueError for an unknown score, a width below one and a seed below zero.

    Source: Bahdanau et al. (2015), appendix A.1.2, for the names; Luong et al. (2015), section 3.1.

    >>> {name: tuple(each.shape) for name, each in score_weights("additive", 3, seed=0).items()}
    {'W_a': (3, 3), 'U_a': (3, 3), 'v_a': (3,)}
    """
    shapes = _get_score(score).shapes
    width = _require.integer("d_k", d_k, least=1)
    generator = torch.Generator().manual_seed(_require.integer("seed", seed, least=0) + 1)
    weights = {}
    for name, axes in shapes:
        numbers = torch.randn(*[width] * axes, generator=generator, dtype=torch.float64)
        weights[name] = numbers / math.sqrt(width) if axes == 2 else numbers
    return weights


def score_pairs(
    score: str,
    query: Float[Tensor, "n_query d_k"],
    key: Float[Tensor, "n_key d_k"],
    parameters: ScoreParameters = MappingProxyType({}),
) -> Float[Tensor, "n_query n_key"]:
    r"""Score every key for every query.

    $$q^\top k, \quad v_a^\top \tanh(W_a^\top q + U_a^\top k), \quad q^\top W_a k, \quad
      \frac{q^\top k}{|q|\,|k|}, \quad -\tfrac{1}{2} |q - k|^2, \quad \log \phi(q)^\top \phi(k)$$

    ``score`` is one of ``SCORES``; ``query`` (n_query, d_k), ``key`` (n_key, d_k); ``parameters``
    as ``score_weights`` draws them.

    Invariant: softmax of "linear" only divides the similarities by the row's sum; softmax of "kernel" over T
    has the weights of a Gaussian kernel of bandwidth sqrt(T).

    Edge cases: a vector of zeros has cosine 0 with all; "linear" sums features by their logarithms, so that
    their ratios are right where features underflow or products overflow.

    Raises ValueError for an unknown score, shapes that do not fit and parameters that are missing.

    Source: Bahdanau et al. (2015); Luong et al. (2015); Graves et al. (2014), section 3.3.1, for the cosine;
    Nadaraya (1964) and Watson (1964) for the kernel; Katharopoulos et al. (2020) for linear attention.

    >>> x = torch.eye(2, dtype=torch.float64)
    >>> score_pairs("kernel", x, x).tolist(), score_pairs("cosine", 5 * x, x).tolist()
    ([[0.0, -1.0], [-1.0, 0.0]], [[1.0, 0.0], [0.0, 1.0]])
    """
    entry = _fitting(score, query, key, parameters)
    if entry.log_terms is not None:
        left, right = entry.log_terms(query, key, parameters)
        return torch.logsumexp(left + right, dim=-1)
    left, right = score_terms(score, query, key, parameters)
    return (left * right).sum(dim=-1)


def score_terms(score: str, query: Tensor, key: Tensor, parameters: ScoreParameters) -> Terms:
    """Return the two factors (n_query, n_key, d) whose products add up to a score, see `Score`."""
    entry = _fitting(score, query, key, parameters)
    left, right = torch.broadcast_tensors(*entry.terms(query, key, parameters))
    return left, right


def _fitting(score: str, query: Tensor, key: Tensor, parameters: ScoreParameters) -> Score:
    """Return a score by its name, and check the shapes of queries, keys and parameters."""
    entry = _get_score(score)
    if query.ndim != 2 or key.ndim != 2 or query.shape[-1] != key.shape[-1]:
        raise ValueError(
            "query and key must have shapes (n_query, d_k) and (n_key, d_k); "
            f"got {tuple(query.shape)} and {tuple(key.shape)}"
        )
    d_k = query.shape[-1]
    for name, axes in entry.shapes:
        came = tuple(parameters[name].shape) if name in parameters else None
        if came != (d_k,) * axes:
            raise ValueError(f"{score} needs {name} of shape {(d_k,) * axes}; got {came}")
    return entry


def score_attention(
    score: str,
    query: Float[Tensor, "n_query d_k"],
    key: Float[Tensor, "n_key d_k"],
    value: Float[Tensor, "n_key d_v"],
    attn_mask: Bool[Tensor, "..."] | None = None,
    *,
    parameters: ScoreParameters = MappingProxyType({}),
    scale: float = 1.0,
    temperature: float | Float[Tensor, "..."] = 1.0,
    sink: float | None = None,
) -> Attention:
    r"""Attend with any score, and return every stage.

    $$A = \mathrm{softmax}_{keys}\Bigl(\frac{s}{T}\, S + M\Bigr), \qquad O = AV$$

    S is the result of ``score_pairs``; mask, ``scale`` s, ``temperature`` T, with steps in front, and
    ``sink`` are those of ``scaled_dot_product_attention``, which is called with S as its query and the
    identity as its key.

    Invariant: without a sink each row of weights sums to one, or is zero where its whole row is masked.

    Edge cases: "linear" at another temperature than 1 raises similarities to the power 1/T.

    Raises ValueError as ``score_pairs`` and ``scaled_dot_product_attention`` do.

    Source: Luong et al. (2015), section 3.1.

    >>> x = torch.eye(2, dtype=torch.float64)
    >>> score_attention("linear", x, x, x).weights.tolist()  # of (2, 1) and (1, 2): 5 and 4
    [[0.5555555555555556, 0.4444444444444445], [0.4444444444444445, 0.5555555555555556]]
    """
    scores = score_pairs(score, query, key, parameters)
    return scaled_dot_product_attention(
        scores,
        torch.eye(len(key)).to(scores),
        value,
        attn_mask,
        scale=scale,
        temperature=temperature,
        sink=sink,
    )


def audit_score(
    score: str,
    query: Float[Tensor, "n_query d_k"],
    key: Float[Tensor, "n_key d_k"],
    value: Float[Tensor, "n_key d_v"],
    *,
    attn_mask: Bool[Tensor, "n_query n_key"],
    parameters: ScoreParameters,
    scores: Float[Tensor, "n_query n_key"],
) -> tuple[Check, ...]:
    r"""Compare scores with an independent computation, pair by pair.

    $$\Bigl| S_{ij} - s(q_i, k_j) \Bigr|, \qquad
      \Bigl| O_i - \frac{\phi(q_i)^\top \sum_j \phi(k_j) v_j^\top}{\phi(q_i)^\top \sum_j \phi(k_j)} \Bigr|$$

    Every pair is scored alone, by torch's own functions where it has them. Linear attention also runs
    as a recurrence at temperature 1: two sums over keys, from which each query's output is computed.

    Shapes as for ``score_attention``; ``scores`` (n_query, n_key) are the scores to check.

    Edge cases: a row with every key masked has output zero in both.

    Raises ValueError as ``score_attention`` does.

    Source: torch's ``cosine_similarity``, ``elu``, ``bilinear`` and ``dist``; Katharopoulos et al.
    (2020), equation 9.

    >>> x = torch.eye(2, dtype=torch.float64)
    >>> may = torch.ones(2, 2, dtype=torch.bool)
    >>> scores = score_pairs("linear", x, x)
    >>> [each.passed for each in audit_score("linear", x, x, x, attn_mask=may, parameters={}, scores=scores)]
    [True, True]
    """
    alone = torch.stack([torch.stack([_alone(score, q, k, parameters) for k in key]) for q in query])
    left, right = score_terms(score, query, key, parameters)
    # Rounding is relative to the largest sum of magnitudes. elu + 1 loses the digits of a small feature, so
    # similarities are compared, not their logarithms.
    size = float((left * right).abs().sum(dim=-1).max()) or 1.0
    checks = [compare(_ALONE, scores.exp() if SCORES[score].is_log else scores, alone, scale=size)]
    if score == "linear":
        ours = score_attention(score, query, key, value, attn_mask).output
        recurrent = torch.stack(
            [_recurrent(q, key, value, may) for q, may in zip(query, attn_mask, strict=True)]
        )
        checks.append(compare(RECURRENT, ours, recurrent, scale=float(value.abs().max()) or 1.0))
    return tuple(checks)


RECURRENT = N_("outputs at T = 1 against the recurrent form: sums of φ(k) vᵀ and φ(k), read by φ(q)")
_ALONE = N_("the scores are, pair by pair, those of torch's functions or of plain loops")


def _alone(score: str, q: Tensor, k: Tensor, parameters: ScoreParameters) -> Tensor:
    """Score one pair with torch's own functions or plain loops."""
    if score == "additive":
        W, U, v = (parameters[name].tolist() for name in ("W_a", "U_a", "v_a"))
        terms = [
            unit * math.tanh(sum(float(q[i]) * W[i][h] + float(k[i]) * U[i][h] for i in range(len(q))))
            for h, unit in enumerate(v)
        ]
        return torch.tensor(math.fsum(terms), dtype=q.dtype)
    if score == "general":
        return F.bilinear(q[None], k[None], parameters["W_a"][None])[0, 0]
    if score == "cosine":
        return F.cosine_similarity(q, k, dim=0, eps=1e-12)
    if score == "kernel":
        return -(torch.dist(q, k) ** 2) / 2
    if score == "linear":
        return torch.dot(F.elu(q) + 1, F.elu(k) + 1)
    return torch.dot(q, k)


def _recurrent(q: Tensor, key: Tensor, value: Tensor, may: Tensor) -> Tensor:
    """Return one query's output in the recurrent form, from sums over the keys that it may attend to."""
    if not may.any():
        return torch.zeros_like(value[0])
    state, normaliser = torch.zeros(key.shape[1], value.shape[1]).to(value), torch.zeros_like(q)
    # A factor common to all features cancels in the ratio; dividing by it keeps small ones from underflow.
    for k, v in zip(_up_to_one(key[may]), value[may], strict=True):
        state, normaliser = state + torch.outer(k, v), normaliser + k
    features = _up_to_one(q)
    return features @ state / (features @ normaliser)


def _up_to_one(x: Tensor) -> Tensor:
    """Return the features of x, divided by the largest of them."""
    logs = _log_features(x)
    return (logs - logs.max()).exp()


def _get_score(score: str) -> Score:
    if score not in SCORES:
        raise ValueError(f"score must be one of {', '.join(SCORES)}; got {score!r}")
    return SCORES[score]
