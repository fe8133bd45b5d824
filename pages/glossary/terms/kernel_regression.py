"""Terms of kernel regression, the attention of statistics."""

from attn_ui.base.places import Place
from pages.glossary.term import Term

_SELECT = {"picture": "Choose the bandwidth"}

TERMS = (
    Term(
        "Nadaraya–Watson",
        "The Nadaraya–Watson estimate is an average of the values in which near keys weigh more.",
        "an estimate and its weights",
        Place("kernel_regression"),
        also=("kernel regression", "kernel smoother", "attention pooling"),
        paper="\\hat f(x) = \\frac{\\sum_i K_h(x - x_i)\\,y_i}{\\sum_i K_h(x - x_i)}",
        code="nadaraya_watson",
        source="Nadaraya, 1964; Watson, 1964",
    ),
    Term(
        "Kernel",
        "A kernel says how much a key counts at each distance from the query.",
        "four kernels on the same points",
        Place("kernel_regression", {"picture": "Four kernels"}),
        also=("weighting function",),
        paper="K(u)",
        code="Kernel",
    ),
    Term(
        "Gaussian kernel",
        "The Gaussian kernel makes the weights a softmax of the squared distances.",
        "its estimate",
        Place("kernel_regression"),
        also=("RBF kernel", "gaussian"),
        paper="e^{-u^2/2}",
        code="KERNELS",
    ),
    Term(
        "Boxcar kernel",
        "The boxcar kernel counts all keys within the bandwidth alike, and no other.",
        "its estimate",
        Place("kernel_regression", {"kernel": "boxcar"}),
        also=("uniform kernel", "boxcar"),
        paper="\\mathbf 1[|u| \\le 1]",
        code="KERNELS",
    ),
    Term(
        "Triangular kernel",
        "The triangular kernel falls in a straight line to zero at the bandwidth.",
        "its estimate",
        Place("kernel_regression", {"kernel": "triangular"}),
        also=("tent kernel", "triangular"),
        paper="\\max(0, 1 - |u|)",
        code="KERNELS",
    ),
    Term(
        "Epanechnikov kernel",
        "The Epanechnikov kernel falls as a parabola to zero at the bandwidth.",
        "its estimate",
        Place("kernel_regression", {"kernel": "epanechnikov"}),
        also=("parabolic kernel", "epanechnikov"),
        paper="\\max(0, 1 - u^2)",
        code="KERNELS",
        source="Epanechnikov, 1969",
    ),
    Term(
        "Bandwidth",
        "The bandwidth is the distance that counts as near.",
        "a narrow one",
        Place("kernel_regression", {"h": "0.2"}),
        also=("h (bandwidth)", "smoothing parameter", "length scale"),
        paper="h",
        code="nadaraya_watson(bandwidth)",
    ),
    Term(
        "Leave-one-out",
        "The leave-one-out error is that of estimating each point from all the others.",
        "the error that chooses the bandwidth",
        Place("kernel_regression", _SELECT),
        also=("leave-one-out cross-validation", "LOO", "LOOCV"),
        paper="\\frac1n \\sum_i (y_i - \\hat f_{-i}(x_i))^2",
        code="leave_one_out_error",
        source="Stone, 1974",
    ),
    Term(
        "Training error",
        "The training error of a bandwidth is the error at the very points that are averaged.",
        "why it always wants a bandwidth of zero",
        Place("kernel_regression", _SELECT),
        also=("resubstitution error",),
        code="BandwidthSearch.training_errors",
    ),
)
