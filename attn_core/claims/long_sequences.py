"""Claims about long sequences: sequential steps, one vector for a sentence, memory that grows with data."""

import math
from collections.abc import Callable, Sequence

import torch
from torch import Tensor

from attn_core import _require
from attn_core.attention import scaled_dot_product_attention
from attn_core.claims.measurements import Measurements, Study
from attn_core.regression import bandwidth_search, kernel_estimate
from attn_core.samples import regression_sample

WIDTH = 4  # of the vectors whose operations are counted
STATE, CONTENT = 16, 4  # numbers in the one vector and in each key; numbers in each token's content


class Clock:
    """Counts operations, and the earliest step at which each could run on unlimited parallel hardware.

    A number is represented by the step at which it is known; inputs are known at 0.

    >>> clock = Clock()
    >>> clock.total([clock.do(0, 0) for _ in range(8)]), clock.operations
    (4, 15)
    """

    def __init__(self) -> None:
        """Start without operations."""
        self.operations = 0

    def do(self, *inputs: int) -> int:
        """Do one operation; return the step at which its result is known."""
        self.operations += 1
        return max(inputs) + 1

    def total(self, numbers: Sequence[int]) -> int:
        """Add numbers in pairs, pairs of pairs and so on; return the step at which the sum is known."""
        level = list(numbers)
        while len(level) > 1:
            pairs = [self.do(a, b) for a, b in zip(level[::2], level[1::2], strict=False)]
            level = pairs + level[len(pairs) * 2 :]
        return level[0]

    def dot(self, a: Sequence[int], b: Sequence[int]) -> int:
        """Compute a dot product; return the step at which it is known."""
        return self.total([self.do(x, y) for x, y in zip(a, b, strict=True)])

    def linear(self, x: Sequence[int]) -> list[int]:
        """Multiply a vector by a square matrix; return the step at which each number is known."""
        return [self.dot(x, [0] * len(x)) for _ in x]

    def attend(self, query: Sequence[int], keys: list[list[int]], values: list[list[int]]) -> list[int]:
        """Attend with one query: products, scale, exponential, sum, division, weighted sum."""
        powers = [self.do(self.do(self.dot(query, key))) for key in keys]
        total = self.total(powers)
        weights = [self.do(power, total) for power in powers]
        return [self.dot(weights, column) for column in zip(*values, strict=True)]


def attention_at_once(n: int, clock: Clock) -> int:
    """Attend from every token to every token of a known sequence; return the last step."""
    tokens = [[0] * WIDTH for _ in range(n)]
    q, k, v = ([clock.linear(token) for token in tokens] for _ in range(3))
    return max(max(clock.attend(query, k, v)) for query in q)


def attention_word_by_word(n: int, clock: Clock) -> int:
    """Generate token by token with a cache of keys and values; return the last step."""
    token, k, v = [0] * WIDTH, [], []
    for _ in range(n):
        query = clock.linear(token)
        k.append(clock.linear(token))
        v.append(clock.linear(token))
        token = clock.attend(query, k, v)
    return max(token)


def recurrent(n: int, clock: Clock) -> int:
    """Run h = tanh(W h + U x) over a known sequence; return the last step."""
    state = [0] * WIDTH
    for _ in range(n):
        inputs, outputs = clock.linear([0] * WIDTH), clock.linear(state)
        state = [clock.do(clock.do(a, b)) for a, b in zip(inputs, outputs, strict=True)]
    return max(state)


def linear_recurrence(n: int, clock: Clock) -> int:
    """Run h = a * h + U x over n tokens as a scan, since no tanh is between steps; return the last step.

    Source: Hillis and Steele (1986), Data Parallel Algorithms; Martin and Cundy (2018), Parallelizing Linear
    Recurrent Neural Nets Over Sequence Length.
    """
    factors = [[0] * WIDTH for _ in range(n)]
    sums = [clock.linear([0] * WIDTH) for _ in range(n)]
    reach = 1
    while reach < n:
        before = list(zip(factors, sums, strict=True))
        for at in range(reach, n):
            (a, b), (earlier, later) = before[at], before[at - reach]
            factors[at] = [clock.do(x, y) for x, y in zip(a, earlier, strict=True)]
            sums[at] = [clock.do(clock.do(x, y), z) for x, y, z in zip(a, later, b, strict=True)]
        reach *= 2
    return max(map(max, sums))


PROGRAMS: dict[str, Callable[[int, Clock], int]] = {
    "attention": attention_at_once,
    "RNN": recurrent,
    "attention that writes": attention_word_by_word,
    "linear recurrence": linear_recurrence,
}


def depth(lengths: Sequence[int]) -> Study:
    """Count sequential steps, and all operations, by simulating each method at width 4.

    Sums are trees, so n numbers take log2 n steps; operations that can run at the same time do.

    >>> depth([1, 8]).measures["steps"]["RNN"].tolist()
    [[5.0, 40.0]]
    """
    measurements = Measurements()
    for name, run in PROGRAMS.items():
        for n in lengths:
            clock = Clock()
            measurements.add("steps", name, run(n, clock))
            measurements.add("operations", name, clock.operations)
    return Study("tokens", tuple(lengths), measurements.curves(len(lengths)))


ONE_VECTOR, ROOTED, WHOLE = "one vector", "attention by q·k/√d", "attention by q·k"


def one_vector(seeds: Sequence[int], lengths: Sequence[int]) -> Study:
    r"""Store n tokens in one vector of 16 numbers or side by side, and read each of them back.

    "lost" is the squared error as a share of the content's square; a token's content is 4 standard normal
    numbers. The one vector is a random linear map of all contents, decoded by its pseudo-inverse, the best
    linear decoder. Attention reads each token with its own key, 16 standard normal numbers, as the query,
    with scores q·k and q·k / 4.

    Invariant: with n tokens the one vector loses max(0, 1 - 16 / 4n) on average.

    >>> study = one_vector([0], [1, 2, 4])
    >>> bool((study.measures["lost"]["one vector"] < 1e-12).all())
    True
    """
    measurements = Measurements()
    for seed in seeds:
        for n in lengths:
            generator = torch.Generator().manual_seed(seed)
            content = torch.randn(n, CONTENT, generator=generator, dtype=torch.float64)
            keys = torch.randn(n, STATE, generator=generator, dtype=torch.float64)
            code = torch.randn(STATE, n * CONTENT, generator=generator, dtype=torch.float64)
            decoded_content = torch.linalg.lstsq(code, code @ content.flatten(), driver="gelsd").solution
            measurements.add(
                "lost", ONE_VECTOR, _error_share(decoded_content.reshape(content.shape), content)
            )
            for name, scale in ((ROOTED, STATE**-0.5), (WHOLE, 1.0)):
                back = scaled_dot_product_attention(keys, keys, content, scale=scale).output
                measurements.add("lost", name, _error_share(back, content))
    for n in lengths:
        measurements.add("numbers kept", ONE_VECTOR, STATE)
        measurements.add("numbers kept", WHOLE, n * (STATE + CONTENT))
    return Study("tokens", tuple(lengths), measurements.curves(len(lengths)))


def _error_share(output: Tensor, content: Tensor) -> Tensor:
    return (output - content).square().sum() / content.square().sum()


BANDWIDTHS = tuple(0.05 * 1.25**power for power in range(16))
KERNEL, STRAIGHT, LEARNED = "kernel regression", "straight line", "attention with W"


def growing(seeds: Sequence[int], counts: Sequence[int]) -> Study:
    """Fit kernel regression and a straight line to ever more points, and count the numbers that each keeps.

    The data are 2 sin(x) + x with noise 0.5. The error is the root mean square over [0.5, 4.5], against the
    true curve; the bandwidth is the one with the least leave-one-out error. Kernel regression keeps every
    point and its bandwidth, the line two numbers, and attention of width 16 its W_q, W_k and W_v.

    Source: Nadaraya (1964), On Estimating Regression; Watson (1964), Smooth Regression Analysis.

    >>> growing([0], [10, 20]).measures["numbers kept"]["kernel regression"].tolist()
    [[21.0, 41.0]]
    """
    grid = torch.linspace(0.5, 4.5, 81, dtype=torch.float64)
    measurements = Measurements()
    for seed in seeds:
        for count in counts:
            sample = regression_sample("sine", n_points=_require.integer("count", count, least=2), seed=seed)
            assert sample.truth is not None
            width = bandwidth_search(sample.keys, sample.values, bandwidths=BANDWIDTHS).best
            curve = kernel_estimate(grid, sample.keys, sample.values, bandwidth=width)
            plane = torch.stack([torch.ones_like(sample.keys), sample.keys], dim=-1)
            a, b = torch.linalg.lstsq(plane, sample.values[:, None]).solution[:, 0]
            for name, estimate in ((KERNEL, curve), (STRAIGHT, a + b * grid)):
                measurements.add("error", name, math.sqrt((estimate - sample.truth(grid)).square().mean()))
    for count in counts:
        for name, numbers in ((KERNEL, 2 * count + 1), (STRAIGHT, 2), (LEARNED, 3 * 16 * 16)):
            measurements.add("numbers kept", name, numbers)
    return Study("points", tuple(counts), measurements.curves(len(counts)))
