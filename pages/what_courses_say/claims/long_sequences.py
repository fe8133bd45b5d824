"""Claims about long sequences and much data."""

import math

import numpy as np
import torch
from torch.nn import functional as F

from attn_core import Check, regression_sample
from attn_core import claims as measures
from attn_core.claims import Study, clearly_below
from attn_words import N_
from pages.what_courses_say.claim import SEEDS, Claim, Measurement, Outcomes, Seeds, recheck
from pages.what_courses_say.settings import POINTS, REMEMBERED, TOKENS

ATTENTION, RNN, WRITING, SCAN = "attention", "RNN", "attention that writes", "linear recurrence"
ONE, ROOTED, WHOLE = "one vector", "attention by q·k/√d", "attention by q·k"
KERNEL, STRAIGHT, LEARNED = "kernel regression", "straight line", "attention with W"


def _by_formula(study: Study, seeds: Seeds) -> list[Check]:
    n, dot = int(study.x[-1]), 1 + 2  # one product, and log2 4 additions
    logs = int(math.log2(n))
    # Projection, score, scale and exp, sum, division, weighted sum.
    formulas = {
        ATTENTION: 2 * dot + 2 + logs + 1 + 1 + logs,
        RNN: n * (dot + 2),
        SCAN: dot + 2 * logs,
    }
    return [
        recheck(study, "steps", name, n, by=N_("its formula"), expected=float(want))
        for name, want in formulas.items()
    ]


def _read_back(study: Study, seeds: Seeds) -> list[Check]:
    n = 16
    generator = torch.Generator().manual_seed(seeds[0])
    content, keys, code = (
        torch.randn(*shape, generator=generator, dtype=torch.float64)
        for shape in ((n, 4), (n, 16), (16, n * 4))
    )
    attended = F.scaled_dot_product_attention(keys, keys, content)
    best = (torch.linalg.pinv(code) @ code @ content.flatten()).reshape(content.shape)
    return [
        recheck(
            study,
            "lost",
            name,
            n,
            by=by,
            expected=(decoded - content).square().sum() / content.square().sum(),
        )
        for by, name, decoded in (
            (N_("torch's attention"), ROOTED, attended),
            (N_("torch's pseudo-inverse"), ONE, best),
        )
    ]


def _fitted(study: Study, seeds: Seeds) -> list[Check]:
    sample = regression_sample("sine", n_points=160, seed=seeds[0])
    assert sample.truth is not None
    grid = torch.linspace(0.5, 4.5, 81, dtype=torch.float64)
    line = np.polynomial.Polynomial.fit(sample.keys.numpy(), sample.values.numpy(), 1)(grid.numpy())
    error = (torch.from_numpy(line) - sample.truth(grid)).square().mean().sqrt()
    return [recheck(study, "error", STRAIGHT, 160, by=N_("NumPy's polynomials"), expected=error)]


def _bottleneck(study: Study) -> Outcomes:
    lost = study.measures["lost"]
    return {
        (ROOTED, 64): clearly_below(lost[ROOTED][:, -1], lost[ONE][:, -1]),
        (ROOTED, 4): clearly_below(study.at("lost", ROOTED, 4), study.at("lost", ONE, 4)),
        ("wholly", WHOLE, 64): bool(lost[WHOLE][:, -1].mean() < 0.1),
        ("wholly", ROOTED, 64): bool(lost[ROOTED][:, -1].mean() < 0.1),
    }


def _nonparametric(study: Study) -> Outcomes:
    size, error = study.measures["numbers kept"], study.measures["error"]
    return {
        (KERNEL,): bool(size[KERNEL][0, -1] > size[KERNEL][0, 0])
        and clearly_below(error[KERNEL][:, -1], error[KERNEL][:, 0]),
        (LEARNED,): bool(size[LEARNED][0, -1] > size[LEARNED][0, 0]),
    }


CLAIMS = {
    "runs in parallel": Claim(
        statement=N_("Attention runs in parallel, where an RNN cannot."),
        method=N_(
            "The operations on single numbers are done and counted, for tokens of width 4. A step waits for "
            "nothing but its own inputs, and sums are added up in pairs. Measured: how many steps must wait "
            "for one another, and how many operations there are in all."
        ),
        formula=r"\begin{gathered} "
        r"\text{steps:} \\ "
        r"\text{attention} = 10 + 2 \log_2 n \\ \text{RNN} = 5\,n \\ "
        r"\text{linear recurrence} = 3 + 2 \log_2 n \\ "
        r"\text{attention that writes} = \sum_{t=1}^{n} \bigl(10 + 2 \lceil \log_2 t \rceil\bigr) \\[6pt] "
        r"\text{operations:} \\ "
        r"\text{attention} = 19\,n^2 + 79\,n \\ \text{RNN} = 64\,n \\ "
        r"\text{linear recurrence} = 12\,n \log_2 n + 16\,n + 12 \\ "
        r"\text{attention that writes} = \sum_{t=1}^{n} (19\,t + 79) "
        r"\end{gathered}",
        in_words=N_(
            "$n$ is the number of tokens, a power of two, and $t$ counts those that are written so far; "
            r"vectors have 4 numbers. A sum of $n$ numbers, added up in pairs, takes $\log_2 n$ steps. "
            "Attention needs two such sums, that of the exponentials and that of the weighted values. An "
            "RNN takes 5 steps a token: a product, two additions, the addition of what is read, and tanh. "
            "Attention that writes waits for each token before it starts on the next."
        ),
        slider=TOKENS,
        log_x=True,
        measure=Measurement(measures.depth, (TOKENS.values,)),
        charts={"steps": True, "operations": True},
        reported=("steps",),
        criterion=N_("at 64 tokens, the first takes fewer steps that wait for one another than the second"),
        outcomes=lambda study: {
            (ours, other, 64): clearly_below(study.at("steps", ours, 64), study.at("steps", other, 64))
            for ours, other in ((ATTENTION, RNN), (WRITING, RNN), (ATTENTION, SCAN))
        },
        explanation=N_(
            "In an RNN each state waits for the one before, so the steps grow as n. Attention needs only "
            "sums over n, in log n steps, when all tokens are given: in training, and in an encoder. A "
            "model that writes needs each word before the next. A recurrence without tanh between its steps"
            " can be added up in pairs too. The price of attention is in the operations, which grow as n²."
        ),
        leads={"single_head": {"tab": "Cost"}, "multi_head": {"tab": "Token by token"}},
        checks=_by_formula,
    ),
    "nonparametric": Claim(
        statement=N_("Attention is nonparametric."),
        method=N_(
            "Kernel regression and a straight line get ever more points of 2 sin(x) + x with noise 0.5; the "
            "bandwidth is the one with the least leave-one-out error. Measured: the error against the true "
            "curve, and how many numbers each keeps."
        ),
        formula=r"\begin{gathered} "
        r"\hat f_h(x) = \frac{\sum_i K\bigl((x - x_i)/h\bigr)\,y_i}{\sum_i K\bigl((x - x_i)/h\bigr)}, \qquad "
        r"K(u) = e^{-u^2/2} \\[4pt] "
        r"h = \operatorname*{arg\,min}_{h'} \sum_i \bigl(y_i - \hat f_{h'}^{\,\setminus "
        r"i}(x_i)\bigr)^2 \\[4pt] "
        r"\text{error} = \Bigl(\frac{1}{81} \sum_{g=1}^{81} \bigl(\hat f(x_g) - "
        r"f(x_g)\bigr)^2\Bigr)^{1/2}, \qquad "
        r"f(x) = 2 \sin x + x \\[4pt] "
        r"\text{numbers kept: } 2\,n + 1 \text{ (kernel regression)}, \quad "
        r"2 \text{ (straight line)}, \quad 3 \cdot 16^2 \text{ (attention)} "
        r"\end{gathered}",
        in_words=N_(
            "The $n$ points are ($x_i$, $y_i$), and $h$ is the bandwidth, chosen among 16; $K(u)$ is the "
            r"Gaussian kernel, and $u$ a distance counted in bandwidths; $\setminus i$ "
            r"leaves point $i$ out. $\hat f$ is the estimate, of kernel regression or of the line of least "
            "squares, and $f(x)$ the true curve. The error is taken at 81 places $x_g$ from 0.5 to 4.5, "
            "counted by $g$. "
            "Kernel regression keeps $n$ inputs, $n$ outputs and $h$; attention of width 16 keeps W_q, "
            "W_k and W_v."
        ),
        slider=POINTS,
        log_x=True,
        measure=Measurement(measures.growing, (POINTS.values,), "seeds"),
        charts={"error": False, "numbers kept": True},
        reported=("error", "numbers kept"),
        spread_over=SEEDS,
        criterion=N_("with 160 points it keeps more numbers than with 10, and kernel regression errs less"),
        outcomes=_nonparametric,
        explanation=N_(
            "Nonparametric means that no fixed number of parameters holds what was learned: it grows with "
            "the data. Kernel regression keeps every point, and only its bandwidth is chosen. A layer's W_q, "
            "W_k and W_v have one size, however much it was trained on. What does grow there are the keys "
            "and values of the present sentence: given W, it is a kernel regression over that sentence."
        ),
        leads={"kernel_regression": {"picture": "Bridge to attention"}},
        checks=_fitted,
    ),
    "one-vector bottleneck": Claim(
        statement=N_("Attention does away with the bottleneck of one vector."),
        method=N_(
            "Each token says four random numbers. They are kept in one vector of 16 numbers and read back by "
            "the best linear reader, or beside one another and asked for by keys of 16 random numbers. "
            "Measured: the share that is lost, and how many numbers are kept."
        ),
        formula=r"\begin{gathered} "
        r"\text{one vector: } s = C \operatorname{vec}(X), \qquad \operatorname{vec}(\hat X) = "
        r"C^{+} s \\[4pt] "
        r"\text{attention: } \hat X = \operatorname{softmax}(c\,K K^\top)\,X, \qquad "
        r"c = \tfrac{1}{\sqrt{16}} \ \text{or}\ c = 1 \\[4pt] "
        r"\text{lost} = \frac{\lVert \hat X - X \rVert_F^2}{\lVert X \rVert_F^2} \\[4pt] "
        r"\text{numbers kept: } 16 \text{ (one vector)}, \qquad n\,(16 + 4) \text{ (attention)} "
        r"\end{gathered}",
        in_words=N_(
            r"The rows of $X$ are what the $n$ tokens say, 4 numbers each, and $\hat X$ is what is read "
            "back. $C$ is a random matrix that writes all of them into the 16 numbers of $s$, and $C^{+}$ "
            "its pseudo-inverse. The rows of $K$ are the keys, 16 random numbers each; each key is also "
            "the query that asks for its own token, and $c$ scales the scores."
        ),
        slider=REMEMBERED,
        log_x=True,
        measure=Measurement(measures.one_vector, (REMEMBERED.values,), "seeds"),
        charts={"lost": False, "numbers kept": True},
        reported=("lost",),
        spread_over=SEEDS,
        criterion=N_(
            "attention loses less than the one vector by more than three standard errors; wholly: less than "
            "a tenth is lost"
        ),
        outcomes=_bottleneck,
        explanation=N_(
            "One vector of 16 numbers holds four such tokens and no more. Attention keeps all tokens, so "
            "its memory grows with n; and it reads an average, which is one token only where its key stands"
            " out."
        ),
        leads={"multi_head": {"case": "cross-attention, four heads"}, "learned_heads": {"task": "reverse"}},
        checks=_read_back,
    ),
}
