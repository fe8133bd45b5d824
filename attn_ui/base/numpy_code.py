"""Programs in PyTorch said in NumPy: the same numbers, the drawn ones too, without a framework.

Only what the pages' own programs use is known; a program is rewritten call by call, and what is no call of
PyTorch's, comments and layout included, stays as it was.
"""

import ast
import re
from collections.abc import Callable, Iterator

Edit = tuple[int, int, str]

_FUNCTIONS = frozenset(
    {"abs", "cos", "exp", "log", "log1p", "sign", "sin", "sqrt", "square"}
)  # x.f() is np.f(x)
_RENAMED = {
    "tensor": "np.array",
    "cat": "np.concatenate",
    "cdist": "cdist",
    "logsumexp": "np.logaddexp.reduce",
    "take_along_dim": "np.take_along_axis",
}
_KEYWORDS = {"dim": "axis", "keepdim": "keepdims"}
_TYPES = {"float64": "float", "bool": "bool", "inf": "np.inf"}
_CASTS = {"double": "float", "float": "np.float32", "long": "int"}
_PRINTED = 'np.set_printoptions(precision=4, suppress=True, floatmode="fixed", linewidth=120)'
_MODULES = frozenset({"math", "hashlib"})

_HELPERS = {
    "softmax": """
def softmax(scores):
    # Over the last axis; a row of nothing but -inf is zero.
    largest = scores.max(axis=-1, keepdims=True)
    powers = np.exp(scores - np.where(np.isfinite(largest), largest, 0))
    total = powers.sum(axis=-1, keepdims=True)
    return powers / np.where(total == 0, 1, total)
""",
    "linear": """
def linear(x, weight, bias=None):
    return x @ weight.T if bias is None else x @ weight.T + bias
""",
    "cdist": """
def cdist(one, other):
    return np.linalg.norm(one[:, None] - other[None, :], axis=-1)
""",
    "flat": """
def flat(x):
    # (..., a, b) -> (..., a * b)
    return x.reshape(*x.shape[:-2], -1)
""",
    "Linear": """
class Linear:
    # As nn.Linear: x @ weight.T + bias, where weight is (d_out, d_in).
    def __init__(self, d_in, d_out, bias=True):
        self.weight = np.empty((d_out, d_in))
        self.bias = np.empty(d_out) if bias else 0

    def __call__(self, x):
        return x @ self.weight.T + self.bias
""",
    "Embedding": """
class Embedding:
    # As nn.Embedding: row i of weight is the vector of symbol i.
    def __init__(self, n_symbol, d_model):
        self.weight = np.empty((n_symbol, d_model))

    def __call__(self, symbols):
        return self.weight[symbols]
""",
    "LayerNorm": """
class LayerNorm:
    # As nn.LayerNorm: each row gets mean 0 and variance 1, then a scale and an offset that are learned.
    def __init__(self, d_model):
        self.weight, self.bias = np.ones(d_model), np.zeros(d_model)

    def __call__(self, x):
        apart = x - x.mean(axis=-1, keepdims=True)
        return apart / np.sqrt((apart**2).mean(axis=-1, keepdims=True) + 1e-5) * self.weight + self.bias
""",
    "load_state_dict": """
def load_state_dict(model, state):
    # A name is the way to a weight, such as attention.0.W_q.weight.
    for name, numbers in state.items():
        *way, last = name.split(".")
        part = model
        for step in way:
            part = part[int(step)] if step.isdigit() else getattr(part, step)
        assert getattr(part, last).shape == numbers.shape, name
        setattr(part, last, numbers)
""",
    "rand": """
def rand(generator, *shape):
    # What torch.rand draws: 53 bits out of two words of the same Mersenne twister.
    words = np.frombuffer(generator.bytes(8 * int(np.prod(shape))), "<u4").astype(np.uint64)
    bits = ((words[0::2] << np.uint64(32)) | words[1::2]) & np.uint64(2**53 - 1)
    return (bits / 2**53).reshape(shape)
""",
    "randn": """
def randn(generator, *shape):
    # What torch.randn makes of those: pairs by Box and Muller; from 16 on in blocks of twice eight.
    count = int(np.prod(shape))
    if count < 16:
        *_, has_kept, kept = generator.get_state()  # the second of a pair waits for the next draw
        kept = [kept] * has_kept
        if count == len(kept):
            generator.set_state((*generator.get_state()[:3], 0, 0.0))
            return np.array(kept).reshape(shape)
        turn, length = rand(generator, (count - len(kept) + 1) // 2, 2).T
        length = np.sqrt(-2 * np.log1p(-length))
        pairs = length * np.cos(2 * np.pi * turn), length * np.sin(2 * np.pi * turn)
        numbers = np.append(kept, np.stack(pairs, axis=-1))
        left = numbers[count:].tolist()
        generator.set_state((*generator.get_state()[:3], len(left), *(left or [0.0])))
        return numbers[:count].reshape(shape)

    def blocks(even):
        length, turn = even.reshape(-1, 2, 8).swapaxes(0, 1)
        length = np.sqrt(-2 * np.log(1 - length))
        pairs = length * np.cos(2 * np.pi * turn), length * np.sin(2 * np.pi * turn)
        return np.stack(pairs, axis=1).reshape(-1)

    even = rand(generator, count)
    numbers = blocks(even[: count - count % 16])
    if count % 16:  # the last 16 are drawn once more
        numbers = np.concatenate([numbers[: count - 16], blocks(rand(generator, 16))])
    return numbers.reshape(shape)
""",
    "xavier_uniform_": """
def xavier_uniform_(weight, generator):
    # As nn.init has it: uniform within Glorot's bounds.
    bound = np.sqrt(6 / sum(weight.shape))
    weight[:] = (2 * rand(generator, *weight.shape) - 1) * bound
""",
    "normal_": """
def normal_(weight, mean, std, generator):
    weight[:] = mean + std * randn(generator, *weight.shape)
""",
    "uniform_": """
def uniform_(numbers, low, high, generator):
    numbers[:] = low + (high - low) * rand(generator, *numbers.shape)
""",
}
_NEEDS = {
    "randn": ("rand",),
    "xavier_uniform_": ("rand",),
    "uniform_": ("rand",),
    "normal_": ("rand", "randn"),
}


def in_numpy(program: str) -> str:
    """Return a program of PyTorch, as the pages write them, in NumPy.

    >>> print(in_numpy("import torch\\n\\nx = (a - b).abs().sum(dim=1, keepdim=True)  # why"))
    import numpy as np
    <BLANKLINE>
    x = np.abs(a - b).sum(axis=1, keepdims=True)  # why

    Raises:
        ValueError: it uses something of PyTorch's that is not known here.
    """
    rewriter = _Rewriter(program)
    text = rewriter.text(rewriter.tree, 0, len(rewriter.source))
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Name) and node.id in ("torch", "nn"):
            line = text.splitlines()[node.lineno - 1].strip()
            raise ValueError(f"wanted a program that can be said in NumPy, got {line!r}")
    if "kernel.sum(" in text:
        quiet = 'np.seterr(invalid="ignore")  # 0 / 0, where no key is in the window, is nan'
        text = text.replace("import numpy as np\n", f"import numpy as np\n\n{quiet}\n", 1)
    names = {*rewriter.used, *(each for name in rewriter.used for each in _NEEDS.get(name, ()))}
    helpers = [_HELPERS[name].strip() for name in _HELPERS if name in names]
    if re.search(r"\blinear\(", program):
        helpers.append(_HELPERS["linear"].strip())
    return _after_imports(text, helpers)


def _after_imports(text: str, helpers: list[str]) -> str:
    if not helpers:
        return text
    lines = text.splitlines(keepends=True)
    last = max(node.end_lineno or 0 for node in ast.parse(text).body if _imports(node) and _early(node, text))
    rest = "".join(lines[last:]).lstrip("\n")
    return "".join(lines[:last]) + "\n\n" + "\n\n\n".join(helpers) + "\n\n\n" + rest


def _imports(node: ast.stmt) -> bool:
    return isinstance(node, ast.Import | ast.ImportFrom)


def _early(node: ast.stmt, text: str) -> bool:
    """Whether nothing but imports stands before a line."""
    return all(_imports(other) for other in ast.parse(text).body if other.lineno < node.lineno)


class _Rewriter:
    """One program, its tree, and what of the helpers it came to use."""

    def __init__(self, program: str) -> None:
        self.source = program.encode()
        self.tree = ast.parse(program)
        self.used: set[str] = set()
        starts = [0]
        for line in self.source.splitlines(keepends=True):
            starts.append(starts[-1] + len(line))
        self.starts = starts

    def span(self, node: ast.AST) -> tuple[int, int]:
        """Where a node stands in the source, in bytes."""
        place = {
            name: getattr(node, name) for name in ("lineno", "col_offset", "end_lineno", "end_col_offset")
        }
        return (
            self.starts[place["lineno"] - 1] + place["col_offset"],
            self.starts[place["end_lineno"] - 1] + place["end_col_offset"],
        )

    def text(self, node: ast.AST, start: int = -1, end: int = -1) -> str:
        """Return a node's source, rewritten."""
        if start < 0:
            start, end = self.span(node)
        pieces, at = [], start
        for first, last, new in sorted(self.edits(node)):
            pieces += [self.source[at:first].decode(), new]
            at = last
        return "".join(pieces) + self.source[at:end].decode()

    def edits(self, node: ast.AST) -> Iterator[Edit]:
        """Yield what of a node becomes something else."""
        match node:
            case (
                ast.Expr(value=ast.Call(func=ast.Attribute(attr="__init__" | "set_default_dtype")))
                | ast.ImportFrom(module="torch" | "torch.nn.functional")
            ):
                yield from self.gone(node)
                return
            case ast.With(items=[ast.withitem(ast.Call(func=ast.Attribute(attr="no_grad")))], body=body):
                # Nothing keeps a gradient here: the lines under it stand where it stood.
                first, last = self.starts[node.lineno - 1], self.starts[body[0].lineno - 1]
                yield first, last, ""
                for line in range(body[0].lineno, (node.end_lineno or 0) + 1):
                    yield self.starts[line - 1], self.starts[line - 1] + len("    "), ""
                for each in body:
                    yield from self.edits(each)
                return
        new = self.rewritten(node)
        if new is not None:
            yield (*self.span(node), new)
            return
        yield from self.names(node)
        if isinstance(node, ast.JoinedStr):
            return  # before Python 3.12 what is inside does not say where it stands
        for child in ast.iter_child_nodes(node):
            yield from self.edits(child)

    def names(self, node: ast.AST) -> Iterator[Edit]:
        """Yield what of a module's own words becomes a plain class's: its base, and what it is called by."""
        if not isinstance(node, ast.ClassDef | ast.FunctionDef):
            return
        start = self.span(node)[0]
        if isinstance(node, ast.FunctionDef) and node.name == "forward":
            yield start + len("def "), start + len("def forward"), "__call__"
        if isinstance(node, ast.ClassDef) and node.bases:
            first, last = self.span(node.bases[0])
            yield first - len("("), last + len(")"), ""

    def gone(self, node: ast.stmt) -> Iterator[Edit]:
        """Yield that a statement goes, with its line, and with the blank one after it unless it imports."""
        end = self.starts[node.end_lineno or node.lineno]
        blank = not _imports(node) and self.source[end:].startswith(b"\n")
        yield self.starts[node.lineno - 1], end + blank, ""

    def rewritten(self, node: ast.AST) -> str | None:  # noqa: PLR0911  (one a kind)
        """Return what stands for a node in NumPy; None where only its parts may change."""
        match node:
            case ast.Import(names=[ast.alias(name="torch", asname=None)]):
                return "import numpy as np"
            case ast.Import(names=[ast.alias(name="torch.nn.functional")]):
                return ""
            case ast.Expr(value=ast.Call(func=ast.Attribute(attr="assert_close"), args=[_, right])):
                return self.own_check(right)
            case ast.keyword(arg="framework"):
                return 'framework="np"'  # safetensors hands out NumPy's arrays
            case ast.Attribute(value=ast.Name(id="torch"), attr=attr) if attr in _TYPES:
                return _TYPES[attr]
            case ast.Attribute(value=value, attr="mT"):
                return f"{self.held(value)}.swapaxes(-1, -2)"
            case ast.Attribute(value=ast.Call(func=ast.Attribute(value=value, attr="sort")), attr="values"):
                return f"np.sort({self.text(value)})"
            case ast.Call(func=ast.Attribute(value=ast.Name(id="torch"), attr=attr)):
                return self.function(node, attr)
            case ast.Call(
                func=ast.Attribute(value=ast.Attribute(value=ast.Name(id="torch"), attr="linalg"), attr=attr)
            ):
                return f"np.linalg.{attr}({self.arguments(node)})"
            case ast.Call(func=ast.Attribute(value=value, attr=attr)) if _of_nn(value, attr):
                return self.of_a_module(node, value, attr)
            case ast.Call(func=ast.Attribute(value=value, attr=attr)) if not _is_module(value):
                return self.method(node, value, attr)
        return None

    def of_a_module(self, call: ast.Call, value: ast.expr, name: str) -> str:
        """Return what stands for a part of torch.nn."""
        arguments = self.arguments(call)
        if name in ("Parameter", "ModuleList"):
            return arguments  # an array, and a list
        if name == "register_buffer":
            buffer, held = call.args
            return f"self.{ast.literal_eval(buffer)} = {self.text(held)}"
        self.used.add(name)
        # What nn.init fills, it draws.
        return f"{name}({arguments})" if isinstance(value, ast.Name) else f"{name}({arguments}, generator)"

    def own_check(self, right: ast.expr) -> str:
        """Return a check without PyTorch for one against it."""
        del right  # what PyTorch's own function gives cannot be asked here
        return "assert np.allclose(weights.sum(axis=-1)[mask.any(axis=-1)], 1)"

    def held(self, node: ast.expr) -> str:
        """Return a node's text as what a dot may follow."""
        text = self.text(node)
        return text if isinstance(node, ast.Name | ast.Attribute | ast.Call | ast.Subscript) else f"({text})"

    def arguments(self, call: ast.Call) -> str:
        """Return a call's arguments, by NumPy's names."""
        named = [f"{_KEYWORDS.get(k.arg or '', k.arg)}={self.text(k.value)}" for k in call.keywords]
        return ", ".join([*map(self.text, call.args), *named])

    def function(self, call: ast.Call, name: str) -> str | None:
        """Return a call of one of PyTorch's functions."""
        if name in ("rand", "randn"):
            self.used.add(name)
            return f"{name}({', '.join(['generator', *map(self.text, call.args)])})"
        if name == "softmax":
            self.used.add("softmax")
            return f"softmax({self.text(call.args[0])})"
        if name == "cdist":
            self.used.add("cdist")
        if name in ("zeros", "ones") and len(call.args) > 1:
            return f"np.{name}(({self.arguments(call)}))"
        others: dict[str, Callable[[], str | None]] = {
            "Generator": lambda: None,
            "manual_seed": lambda: f"generator = np.random.RandomState({self.seed(call.args[0])})",
            "set_printoptions": lambda: _PRINTED,
        }
        if name in others:
            return others[name]()
        return f"{_RENAMED.get(name, f'np.{name}')}({self.arguments(call)})"

    def method(self, call: ast.Call, value: ast.expr, name: str) -> str | None:
        """Return a call of a tensor's method."""
        makers: dict[str, Callable[[], str]] = {
            "manual_seed": lambda: f"np.random.RandomState({self.seed(call.args[0])})",
            "softmax": lambda: f"softmax({self.text(value)})",
            "flatten": lambda: f"flat({self.text(value)})",
            "chunk": lambda: f"np.split({self.text(value)}, {self.arguments(call)})",
            "clamp": lambda: self.clamped(call, value),
            "masked_fill": lambda: f"np.where({self.arguments(call)}, {self.text(value)})",
            "nan_to_num": lambda: f"np.nan_to_num({self.text(value)})",
            "transpose": lambda: f"{self.held(value)}.swapaxes({self.arguments(call)})",
            "view": lambda: f"{self.held(value)}.reshape({self.arguments(call)})",
            "norm": lambda: f"np.linalg.norm({self.text(value)}, {self.arguments(call)})",
            "load_state_dict": lambda: f"load_state_dict({self.text(value)}, {self.arguments(call)})",
        }
        if name in ("softmax", "flatten", "load_state_dict"):
            self.used.add("flat" if name == "flatten" else name)
        if name in makers:
            return makers[name]()
        if name in _FUNCTIONS and not call.args:
            return f"np.{name}({self.text(value)})"
        if name in _CASTS and not call.args:
            return f"{self.held(value)}.astype({_CASTS[name]})"
        if any(keyword.arg in _KEYWORDS for keyword in call.keywords):
            return f"{self.held(value)}.{name}({self.arguments(call)})"
        return None

    def seed(self, node: ast.expr) -> str:
        """Return a seed as NumPy takes it: PyTorch's twister reads its lowest 32 bits."""
        text = self.text(node)
        return text if isinstance(node, ast.Constant) or text.isidentifier() else f"({text}) & 0xFFFFFFFF"

    def clamped(self, call: ast.Call, value: ast.expr) -> str:
        """Return the larger or the smaller of a value and a bound."""
        (bound,) = call.keywords
        function = {"min": "maximum", "max": "minimum"}[bound.arg or ""]
        return f"np.{function}({self.text(value)}, {self.text(bound.value)})"


def _of_nn(value: ast.expr, name: str) -> bool:
    """Whether a call is one of torch.nn's, of nn.init's, or keeps something in a module."""
    match value:
        case ast.Name(id="nn") | ast.Attribute(value=ast.Name(id="nn"), attr="init"):
            return True
    return name == "register_buffer"


def _is_module(node: ast.expr) -> bool:
    return isinstance(node, ast.Name) and node.id in _MODULES
