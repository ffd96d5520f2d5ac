"""Random programs of what models do, one statement after the other, each run by PyTorch as it is written.

A statement is a guess: what PyTorch refuses, what is not finite and what is too large is left out. So the emitters below
need not know every rule of an operator. Each gives the text of an expression (`Program.define` names its result) or of a
statement that changes something in place. Used by record_random.py; needs torch.
"""
import math
import random

import torch

SHORT = {
    torch.float64: "f64", torch.float32: "f32", torch.bfloat16: "bf16", torch.float16: "f16", torch.int64: "i64",
    torch.int32: "i32", torch.uint8: "u8", torch.bool: "b8",
}
SIZES = {
    "small": [1, 1, 2, 3, 4, 5, 7, 8, 16, 17, 31, 33],
    "odd": [0, 1, 1, 2, 3, 17, 31, 33, 127, 128, 257],
    "large": [1, 7, 64, 127, 256, 1000, 1024, 4096, 4097],
}
LARGEST = {"small": 6000, "odd": 40000, "large": 1 << 20}
F = "torch.nn.functional."


class Program:
    """Statements so far, and the tensors they give. `scale` says which sizes are drawn."""

    def __init__(self, seed, scale):
        self.rng = random.Random(seed)
        self.generator = torch.Generator().manual_seed(seed)
        self.scale = scale
        self.main = self.rng.choice([torch.float32] * 6 + [torch.bfloat16] * 2 + [torch.float16, torch.float64])
        self.inputs = {}  # name: what it holds before the program runs
        self.env = {"torch": torch, "inf": math.inf, "nan": math.nan}
        self.lines = []
        self.values = []  # names of tensors, inputs included
        self.shape = self.any_shape()

    # ---- choices

    def one(self, *options):
        return self.rng.choice(options)

    def chance(self, share):
        return self.rng.random() < share

    def size(self):
        return self.rng.choice(SIZES[self.scale])

    def any_shape(self, rank=None):
        rank = self.rng.choice([1, 2, 2, 2, 3, 3, 4]) if rank is None else rank
        while True:
            shape = tuple(self.size() for _ in range(rank))
            if math.prod(shape) <= LARGEST[self.scale]:
                return shape

    def pick(self, wanted=lambda x: True, floats=True):
        """The name of a value, mostly a recent one; inputs are made where none will do."""
        good = [v for v in self.values
                if wanted(self.env[v]) and (self.env[v].is_floating_point() or not floats)]
        if good and not self.chance(0.12):
            return self.rng.choice(good[-6:] if self.chance(0.7) else good)
        name = self.input(self.shape if self.chance(0.6) else self.any_shape())
        return name if wanted(self.env[name]) else None

    def get(self, name):
        return self.env[name]

    # ---- what there is

    def input(self, shape, dtype=None, below=None, distinct=False, positive=False):
        """A new input: floating, or whole numbers below a limit (`distinct` along the last dimension), or bools."""
        dtype = dtype or (self.main if self.chance(0.9) else self.one(torch.float32, torch.bfloat16, torch.float64))
        if distinct:
            x = torch.argsort(torch.rand(tuple(shape[:-1]) + (below,), generator=self.generator))[..., : shape[-1]]
            x = x.contiguous()
        elif below is not None:
            x = torch.randint(0, max(below, 1), shape, generator=self.generator)
        else:
            x = torch.randn(shape, generator=self.generator)
            x = x > 0.3 if dtype == torch.bool else x.abs() + 0.5 if positive else x
        x = x.to(dtype) if below is None or dtype not in (torch.float32, torch.bfloat16, torch.float16, torch.float64) \
            else x.to(torch.int64)
        name = f"a{len(self.inputs)}"
        self.inputs[name] = x
        self.env[name] = x.clone()
        self.values.append(name)
        return name

    def index(self, shape, below, distinct=False):
        return self.input(shape, torch.int64, below, distinct)

    def define(self, expression):
        """A new value, if PyTorch takes the expression and gives something sensible."""
        name = f"t{len(self.lines)}"
        try:
            result = eval(expression, self.env)
        except (RuntimeError, IndexError, ValueError, TypeError, AssertionError, NotImplementedError):
            return None
        if not isinstance(result, torch.Tensor) or not self.sensible(result):
            return None
        self.lines.append(f"{name} = {expression}")
        self.env[name] = result
        self.values.append(name)
        return name

    def change(self, statement, changed):
        """A statement in place. One that PyTorch refuses, or that spoils a value, is undone by saying no to the program."""
        saved = {v: self.env[v].clone() for v in self.values}
        try:
            exec(statement, self.env)
        except (RuntimeError, IndexError, ValueError, TypeError, NotImplementedError):
            return
        if all(self.sensible(self.env[v]) for v in self.values if self.shares(v, changed)):
            self.lines.append(statement)
            return
        for v, x in saved.items():
            if self.shares(v, changed) and self.env[v].numel():
                self.env[v].copy_(x)

    def shares(self, v, changed):
        a, b = self.env[v], self.env[changed]
        return a.untyped_storage().data_ptr() == b.untyped_storage().data_ptr()

    def sensible(self, x):
        if x.numel() > LARGEST[self.scale] * 2 or x.is_complex() or x.dtype not in SHORT:
            return False
        if x.numel() == 0 or not x.is_floating_point():
            return True
        return bool(torch.isfinite(x).all()) and float(x.abs().max()) < 300


# ------------------------------------------------------------------------------------ one operand

UNARY = [
    "torch.relu({x})", F + "gelu({x})", F + "gelu({x}, approximate='tanh')", F + "silu({x})", "torch.sigmoid({x})",
    "torch.tanh({x})", "torch.exp(-torch.abs({x}))", "torch.sin({x})", "torch.cos({x})", "torch.abs({x})", "-{x}",
    "torch.sqrt(torch.abs({x}) + 0.5)", "torch.rsqrt({x} * {x} + 1)", "torch.log({x} * {x} + 1)", "torch.square({x})",
    F + "softplus({x})", F + "elu({x})", F + "leaky_relu({x}, 0.1)", F + "hardtanh({x})", F + "hardswish({x})",
    F + "mish({x})", "torch.erf({x})", "torch.expm1(torch.clamp({x}, -3, 3))", "torch.log1p({x} ** 2)",
    "1 / ({x} ** 2 + 0.5)", "torch.clamp({x}, -0.7, 1.2)", "torch.clamp({x}, min=0.1)", "{x} * 0.37", "2 - {x}", "{x} + 1",
    "{x} / 3", "{x} ** 3", "torch.where({x} > 0, {x}, -0.5)", "torch.nan_to_num({x})", "{x}.clone()", "{x}.contiguous()",
    "{x}.detach()", "torch.floor({x})", "torch.sign({x})", "torch.ones_like({x}) - {x}", "torch.frac({x})",
    F + "logsigmoid({x})", F + "selu({x})", F + "softshrink({x})", "torch.atan({x})", "torch.asinh({x})", "torch.exp2(-{x} ** 2)",
    "torch.full_like({x}, 0.25) * {x}", "torch.cosh(torch.clamp({x}, -2, 2))", "{x}.pow(2.0)", "torch.trunc({x} * 2)",
]


def unary(p):
    x = p.pick()
    return x and p.define(p.rng.choice(UNARY).format(x=x))


def cast(p):
    x = p.pick(floats=p.chance(0.6))
    how = p.one("float()", "double()", "half()", "bfloat16()", "to(torch.int64)", "to(torch.int32)", "bool()",
                "to(torch.float32)", "to(torch.bfloat16)", "to(dtype=torch.float16)")
    return x and p.define(f"{x}.{how}")


# ----------------------------------------------------------------------------------- two and more

BINARY = [
    "{x} + {y}", "{x} - {y}", "{x} * {y}", "{x} / ({y} * {y} + 1)", "torch.maximum({x}, {y})", "torch.minimum({x}, {y})",
    "torch.where({x} > {y}, {x}, {y} * 2)", "torch.lerp({x}, {y}, 0.3)", "torch.addcmul({x}, {y}, {y}, value=0.5)",
    "torch.hypot({x}, {y})", "torch.atan2({x}, {y} * {y} + 0.1)", "torch.add({x}, {y}, alpha=2)", "torch.sub({x}, {y}, alpha=0.5)",
    "torch.abs({x}) ** torch.sigmoid({y})", "torch.logaddexp({x}, {y})", "{x} * ({y} > 0)", "{x}.masked_fill({y} < 0, 0.25)",
    "torch.copysign({x}, {y})", "torch.sigmoid({x}) * {y}", F + "silu({x}) * {y}", "torch.where({y} > 0, {x}, 1.5)",
    "torch.xlogy({x}, torch.abs({y}) + 0.3)", "({x} * {y}).sum()", "torch.addcdiv({x}, {y}, torch.abs({y}) + 1)",
]


def partner(p, x):
    """A value that broadcasts against x, or a new input that does."""
    shape = tuple(p.get(x).shape)
    if p.chance(0.6):
        def fits(y):
            try:
                return math.prod(torch.broadcast_shapes(y.shape, shape)) <= LARGEST[p.scale]
            except RuntimeError:
                return False
        return p.pick(fits)
    kept = shape[p.rng.randint(0, len(shape)):] if p.chance(0.5) else shape
    return p.input(tuple(1 if p.chance(0.25) else n for n in kept))


def binary(p):
    x = p.pick()
    y = x and partner(p, x)
    return y and p.define(p.rng.choice(BINARY).format(x=x, y=y) if p.chance(0.7)
                          else p.rng.choice(BINARY).format(x=y, y=x))


INTEGER = [
    "{x} + 3", "{x} * 2 - 1", "{x} // 2", "{x} % 3", "{x} // -3", "{x} % -3", "{x} & 5", "{x} | 2", "{x} ^ 3", "{x} << 1",
    "{x} >> 1", "~{x}", "{x} == 1", "{x} != 2", "{x} < 2", "{x} >= 1", "{x} / 2", "torch.abs({x} - 2)", "{x} + {y}",
    "{x} * {y}", "{x} - {y} * 2", "torch.maximum({x}, {y})", "torch.where({x} > 1, {x}, {y})", "torch.clamp({x}, 1, 2)",
    "{x} & {y}", "{x} ^ {y}", "{x} == {y}", "{x} < {y}", "{x}.sum(-1)", "{x}.cumsum(-1)", "{x}.max()", "{x}.amin(-1)",
    "torch.logical_and({x} > 1, {y} > 0)", "torch.logical_xor({x} > 1, {y} > 0)", "torch.logical_not({x})",
    "({x} > 1).any(-1)", "({x} > 0).all()", "({x} > 0).sum(0)", "{x}.argmax(-1)", "{x}.prod(-1)", "torch.bitwise_not({x} > 1)",
    "{x}.float().mean(-1)", "{x}.to(torch.uint8) + 250", "{x}.sort(-1, stable=True)[0]", "{x}.to(torch.uint8) // 2",
    "{x}.to(torch.int32) % 7 - 3", "({x} - 2) // 2", "({x} - 2) % 3", "torch.div({x} - 3, 2, rounding_mode='trunc')",
    "torch.fmod({x} - 3, 2)", "torch.sign({x} - 1)", "torch.remainder({x} - 5, {y} + 1)", "({x} + 1) ** 2",
    "torch.count_nonzero({x}, -1)", "{x} * 0.5", "torch.where({x} > 1, {x} * 0.5, {y})", "-{x}", "{x} * True",
]


def integer(p):
    x = p.pick(lambda t: t.dtype in (torch.int64, torch.int32, torch.uint8), floats=False)
    if not x or p.chance(0.2):
        x = p.input(p.any_shape(), p.one(torch.int64, torch.int32, torch.uint8), 5)
    shape = p.get(x).shape
    y = p.pick(lambda t: t.dtype in (torch.int64, torch.int32, torch.uint8, torch.bool) and t.shape == shape, False) or x
    return p.define(p.rng.choice(INTEGER).format(x=x, y=y))


# ---------------------------------------------------------------------------------------- reduce

REDUCE = [
    "{x}.sum({d})", "{x}.mean({d})", "{x}.amax({d})", "{x}.amin({d})", "{x}.var({d})", "{x}.std({d}, correction=0)",
    "torch.linalg.vector_norm({x}, 2, {d})", "torch.logsumexp({x}, {d})", "{x}.norm(dim={d})", "{x}.sum({d}, dtype=torch.float32)",
    "(torch.tanh({x}) * 0.5 + 1).prod({s})", "{x}.max({s})[0]", "{x}.min({s}).values", "{x}.median({s})[0]", "{x}.argmax({s})",
    "torch.var_mean({x}, {d}, correction=0)[1]", "({x} > 0).any({s})", "({x} > 0).sum({d})", "{x}.argmin({s})",
    "torch.linalg.vector_norm({x}, 1, {d})", "torch.linalg.vector_norm({x}, inf, {d})", "{x}.std({d})", "{x}.nansum({d})",
    "torch.aminmax({x}, dim={s})[1]",
]
ALONG = [
    "torch.softmax({x}, {s})", "torch.log_softmax({x}, {s})", "torch.cumsum({x}, {s})", "torch.softmax({x}, {s}, dtype=torch.float32)",
    "torch.cumprod(torch.tanh({x}) * 0.3 + 1, {s})", "torch.sort({x}, dim={s}, stable=True)[0]", "torch.sort({x}, dim={s}, stable=True, descending=True)[0]",
    "torch.logcumsumexp({x}, {s})", "torch.flip({x}, ({s},))", "torch.roll({x}, {k}, {s})", "torch.diff({x}, dim={s})",
    "torch.cummax({x}, {s})[0]", F + "normalize({x}, dim={s})", "torch.topk({x}, min({k}, {x}.shape[{s}]), {s})[0]",
    "torch.argsort({x}, {s}, stable=True)", F + "softmin({x}, {s})", "torch.softmax({x} * 5, {s})", "{x} - {x}.mean({s}, keepdim=True)",
    "{x} / ({x}.abs().sum({s}, keepdim=True) + 1)", "{x} * torch.rsqrt(({x} * {x}).mean({s}, keepdim=True) + 1e-5)",
    "torch.exp({x} - {x}.amax({s}, keepdim=True))", "torch.kthvalue({x}, 1, {s})[0]", "torch.unflatten({x}, {s}, (-1, 1))",
    F + "glu({x}, {s})", "torch.renorm({x}, 2, {s}, 1.5)", "torch.unbind({x}, {s})[-1]",
]


def dims(p, x):
    """Text of one dimension, and of one or several."""
    rank = p.get(x).dim()
    one = p.rng.randrange(-rank, rank)
    many = sorted(p.rng.sample(range(rank), p.rng.randint(1, rank)))
    text = str(one) if p.chance(0.6) else "(" + "".join(f"{d - rank if p.chance(0.3) else d}, " for d in many) + ")"
    return one, text


def reduce(p):
    x = p.pick(lambda t: t.dim() > 0)
    if not x:
        return None
    s, d = dims(p, x)
    if p.chance(0.15):
        return p.define(p.one("{x}.sum()", "{x}.mean()", "{x}.amax()", "{x}.max()", "{x}.std()", "{x}.norm()").format(x=x))
    form = p.rng.choice(REDUCE)
    if p.chance(0.5) and form.endswith(")"):
        form = form[:-1] + ", keepdim=True)"
    return p.define(form.format(x=x, s=s, d=d))


def along(p):
    x = p.pick(lambda t: t.dim() > 0)
    return x and p.define(p.rng.choice(ALONG).format(x=x, s=dims(p, x)[0], k=p.rng.randint(1, 5)))


# ------------------------------------------------------------------------------------------ views

def view(p):
    x = p.pick(lambda t: t.dim() > 0, floats=p.chance(0.85))
    if not x:
        return None
    t = p.get(x)
    rank, shape = t.dim(), tuple(t.shape)
    d = p.rng.randrange(-rank, rank)
    n = shape[d]
    start = p.rng.randint(0, n)
    order = p.rng.sample(range(rank), rank)
    low = p.rng.randint(0, max(n - 1, 0))
    slices = ", ".join(p.one(":", "::2", "1:", ":-1", "None", "...", "0:1") if i else p.one(":", "1:", "::3", "-2:")
                       for i in range(rank))
    return p.define(p.one(
        f"{x}.permute({', '.join(map(str, order))})", f"{x}.transpose({d}, {p.rng.randrange(rank)})", f"{x}.flatten()",
        f"{x}.reshape(-1)", f"{x}.reshape({resize(p, t.numel())})", f"{x}.unsqueeze({d})", f"{x}.squeeze()", f"{x}.squeeze({d})",
        f"{x}.unsqueeze(0).expand({p.rng.randint(1, 3)}, {', '.join(map(str, shape))})", f"{x}.flip({d})",
        f"{x}.unfold({d}, {min(max(n, 1), 3)}, {p.rng.randint(1, 2)})", f"{x}.narrow({d}, {low}, {p.rng.randint(0, max(n - low, 0))})",
        f"torch.as_strided({x}, ({max(n - 1, 1)}, 2), (1, 1))", f"{x}[{slices}]", f"{x}.chunk(2, {d})[0]", f"{x}.chunk(3, {d})[-1]",
        f"torch.cat(({x}, {x} * 2), {d})", f"torch.stack(({x}, {x} + 1), {d})", f"{x}.movedim({d}, 0)", f"{x}.select({d}, {low})",
        f"torch.split({x}, {p.rng.randint(1, 4)}, {d})[0]", f"{x}.repeat({', '.join(p.one('1', '2') for _ in shape)})",
        f"torch.roll({x}, {p.rng.randint(-3, 3)}, {d})", f"torch.roll({x}, 1)", f"{x}.t()", f"{x}.diagonal()", f"torch.tril({x})",
        f"torch.triu({x}, 1)", f"{x}.repeat_interleave(2, {d})", f"torch.narrow({x}, {d}, {min(start, low)}, 1)", f"{x}.unbind({d})[0]",
        f"{F}pad({x}, (1, 2))", f"{F}pad({x}, (0, 1, 2, 0), value=0.5)", f"{F}pad({x}, (-1, 1))", f"{x}.tile(2)",
        f"{x}[..., ::2] + {x}[..., 1::2]", f"torch.cat(({x}[..., 1:], {x}[..., :1]), -1)", f"{x}.mT", f"{x}.rot90(1, (0, -1))",
        f"torch.hstack(({x}, {x}))", f"torch.vstack(({x}, {x}))", f"torch.diag_embed({x})", f"{x}.view_as({x})", f"{x}.swapaxes(0, -1)",
        f"{x}.unflatten({d}, (-1, 1))", f"{F}pad({x}, (1, 1), mode='reflect')", f"{F}pad({x}, (1, 1), mode='circular')",
        f"{F}pad({x}, (2, 1), mode='replicate')", f"{x}.expand_as({x})", f"torch.atleast_3d({x})", f"torch.triu({x}, -1)",
    ))


def resize(p, count):
    """Sizes with this product."""
    sizes = []
    for f in (2, 3, 4, 7, 11):
        if count and count % f == 0 and p.chance(0.6):
            sizes.append(f)
            count //= f
    sizes.insert(p.rng.randint(0, len(sizes)), count)
    return ", ".join(map(str, sizes))


def join(p):
    x = p.pick()
    if not x:
        return None
    d = p.rng.randrange(max(p.get(x).dim(), 1))
    y, z = (p.pick(lambda t: t.dim() == p.get(x).dim()) for _ in range(2))
    return y and p.define(p.one(f"torch.cat(({x}, {y}), {d})", f"torch.cat([{y}, {x}, {z or x}], {d})",
                                f"torch.stack(({x}, {y}), {d - 1})", f"torch.cat(({x}, {y}[..., :1]), -1)"))


# --------------------------------------------------------------------------------------- in place

IN_PLACE = [
    "{x}.add_({y})", "{x}.mul_({y})", "{x} += {y}", "{x} *= 0.5", "{x}.copy_({y})", "{x}.zero_()", "{x}.relu_()",
    "{x}.clamp_(-0.5, 0.5)", "{x}.masked_fill_({y} > 0, 0.25)", "{x}[0] = {y}", "{x}[..., 0] = 0.5", "{x}[..., 1:] *= 2",
    "{x}.fill_(0.75)", "{x}[::2] = {y}", "{x}[{y} > 0.5] = 0.125", "{x}.sub_({y}, alpha=2)", "{x}.neg_()", "{x}.sigmoid_()",
    "{x}.t().add_(1)", "{x}.transpose(0, -1)[0].mul_(2)", "{x}.view(-1)[::2].add_({k})", "{x}.select(-1, 0).copy_({y})",
    "{x}.narrow(0, 0, 1).add_({y})", "{x}.flatten()[:2].sub_(0.5)", "{x}.diagonal().fill_({k})", "{x}.unsqueeze(0).mul_(-1)",
    "{x}.addcmul_({y}, {y}, value=0.1)", "{x}.lerp_({y}, 0.25)", "{x}.tanh_()", "{x}[..., -1].add_({x}[..., 0])",
    "{x}[1:].copy_({x}[:-1] * 2)", "{x}.squeeze().abs_()", "{x} -= {x}.mean()", "{x}.div_({y} * {y} + 1)", "{x}.floor_()",
    "{x}[-1:] += {y}", "{x}.triu_()", "{x}.cumsum_(-1)",
]


def apart(x):
    """Whether no two elements share a place: what a write would leave there is not defined."""
    reach = sum((n - 1) * s for n, s in zip(x.shape, x.stride())) + 1
    return x.numel() == 0 or torch.arange(reach).as_strided(x.shape, x.stride()).unique().numel() == x.numel()


def in_place(p):
    x = p.pick(apart, floats=p.chance(0.9))
    y = x and partner(p, x)
    if y:
        p.change(p.rng.choice(IN_PLACE).format(x=x, y=y, k=p.one(1, 0.5)), x)


# -------------------------------------------------------------------------------- index, scatter

def indexing(p):
    x = p.pick(lambda t: t.dim() > 0 and t.numel() > 0)
    if not x:
        return None
    shape = tuple(p.get(x).shape)
    d = p.rng.randrange(len(shape))
    few = p.rng.randint(1, 6)
    i = p.index((few,), shape[d])
    once = p.index((min(few, shape[d]),), shape[d], distinct=True)
    of = shape[:d] + (min(few, shape[d]),) + shape[d + 1:]
    source = p.input(of, p.get(x).dtype)
    table = p.index(shape[:-1] + (min(few, shape[-1]),), shape[-1], distinct=True)
    wide = p.input(tuple(p.get(table).shape), p.get(x).dtype)
    lead = ":, " * d
    return p.define(p.one(
        f"torch.index_select({x}, {d}, {i})", f"{x}[{lead}{i}]", f"torch.gather({x}, -1, {table})", f"torch.take_along_dim({x}, {table}, -1)",
        f"torch.index_add({x}, {d}, {once}, {source})", f"torch.index_copy({x}, {d}, {once}, {source})", f"torch.take({x}, {i})",
        f"torch.index_fill({x}, {d}, {once}, 0.5)", f"torch.scatter({x}, -1, {table}, {wide})", f"torch.scatter_add({x}, -1, {table}, {wide})",
        f"torch.scatter({x}, -1, {table}, 0.5)", f"torch.scatter_reduce({x}, -1, {table}, {wide}, 'amax')", f"{x}[{i}, {i}]",
        f"torch.index_put({x}, ({once},), {source})", f"torch.gather({x}, {d}, torch.argsort({x}, {d}, stable=True))", f"{x}[{lead}{once}] * 2",
        f"torch.scatter_reduce({x}, -1, {table}, {wide}, 'sum', include_self=False)", f"{x}[..., {i}]", f"{x}[{i}, ..., 0]",
        f"torch.select_scatter({x}, {x}.select({d}, 0) * 2, {d}, 0)", f"{x}[None, {lead}{i}]",
        f"torch.slice_scatter({x}, {x}.narrow({d}, 0, 1) * 3, {d}, 0, 1)", f"torch.index_add({x}, {d}, {once}, {source}, alpha=-2)",
    ))


def embedding(p):
    vocabulary, width = p.one(5, 10, 17, 100), p.one(4, 8, 16, 31)
    i = p.index(p.any_shape(p.one(1, 2)), vocabulary)
    w = p.input((vocabulary, width))
    return p.define(p.one(f"{F}embedding({i}, {w})", f"{w}[{i}]", f"{F}embedding({i}, {w}, padding_idx=1)",
                          f"{F}one_hot({i}, {vocabulary}).to({w}.dtype) @ {w}", f"{F}embedding({i}, {w}).sum(-2)"))


# ---------------------------------------------------------------------------------------- layers

def norm(p):
    x = p.pick(lambda t: t.dim() > 1)
    if not x:
        return None
    shape, dtype = tuple(p.get(x).shape), p.get(x).dtype
    if p.chance(0.6):
        tail = shape[-p.one(1, 1, 1, 2):]
        w, b = p.input(tail, dtype), p.input(tail, dtype)
        return p.define(p.one(
            f"{F}layer_norm({x}, {tail}, {w}, {b})", f"{F}layer_norm({x}, {tail})", f"{F}rms_norm({x}, {tail}, {w})",
            f"{F}rms_norm({x}, {tail}, eps=1e-5)", f"{F}layer_norm({x}, {tail}, {w})", f"{F}rms_norm({x}, {tail}, {w}, 1e-6) + {x}",
            f"{F}layer_norm({x} + {x}.roll(1, 0), {tail}, {w}, {b}, 1e-3)",
            f"({x}.float() * torch.rsqrt({x}.float().pow(2).mean(-1, keepdim=True) + 1e-6)).to({x}.dtype) * {w}"))
    c = shape[1]
    w, b = p.input((c,), dtype), p.input((c,), dtype)
    mean, var = p.input((c,), dtype), p.input((c,), dtype, positive=True)
    groups = p.rng.choice([g for g in (1, 2, 3, 4, c) if g and c % g == 0] or [1])
    return p.define(p.one(
        f"{F}batch_norm({x}, None, None, {w}, {b}, True)", f"{F}batch_norm({x}, {mean}, {var}, {w}, {b}, False)",
        f"{F}batch_norm({x}, {mean}, {var}, {w}, {b}, True, 0.1)", f"{F}group_norm({x}, {groups}, {w}, {b})",
        f"{F}group_norm({x}, {groups})", f"{F}instance_norm({x})", f"torch.relu({F}batch_norm({x}, {mean}, {var}, {w}, {b}))"))


def product(p):
    x = p.pick(lambda t: t.dim() > 0)
    if not x:
        return None
    t = p.get(x)
    k, n = t.shape[-1], p.size()
    w, v, b = p.input((n, k), t.dtype), p.input((k, n), t.dtype), p.input((n,), t.dtype)
    s = 1 / math.sqrt(max(k, 1))
    batch = p.input(tuple(t.shape[:-2]) + (k, n), t.dtype) if t.dim() > 2 else v
    return p.define(p.one(
        f"{F}linear({x}, {w} * {s:.3g}, {b})", f"{F}linear({x}, {w}) * {s:.3g}", f"({x} @ {v}) * {s:.3g}", f"torch.matmul({x} * {s:.3g}, {batch})",
        f"torch.einsum('...i,oi->...o', {x}, {w}) * {s:.3g}", f"({x} @ {x}.transpose(-1, -2)) * {s:.3g}", f"{F}gelu({F}linear({x}, {w} * {s:.3g}, {b}))",
        f"torch.einsum('...i,...j->...ij', {x}, {x})", f"torch.einsum('...ij,...kj->...ik', {x}, {x}) * {s:.3g}",
        f"torch.addmm({b}, {x}, {v}, alpha={s:.3g})", f"torch.outer({x}.flatten()[:7], {b})", f"{F}relu({F}linear({x}, {w}, {b}) * {s:.3g}) + {b}",
        f"torch.einsum('bij,bj->bi', {x}, {x}[:, 0]) * {s:.3g}", f"torch.bmm({x}, {batch}) * {s:.3g}", f"{x}[..., 0, :] @ {v} * {s:.3g}",
        f"torch.dot({x}.flatten(), {x}.flatten()) * 0.01", f"torch.mv({x}, {v}[:, 0]) * {s:.3g}"))


def attention(p):
    heads, group = p.one(1, 2, 4), p.one(1, 1, 2)
    b, s, kv, d = p.one(1, 2, 3), p.one(1, 5, 8, 17, 33, 64), p.one(1, 5, 17, 33, 64), p.one(4, 8, 16, 20, 32)
    if p.scale == "large":
        s, kv, d = p.one(127, 256, 257), p.one(128, 200, 257), p.one(32, 64)
    causal = p.chance(0.4)
    kv = s if causal else kv
    q = p.input((b, heads * group, s, d))
    dtype = p.get(q).dtype
    k, v = p.input((b, heads, kv, d), dtype), p.input((b, heads, kv, d), dtype)
    if group > 1 and p.chance(0.5):
        k, v = (p.define(f"{t}.repeat_interleave({group}, 1)") or t for t in (k, v))
    extra = ", enable_gqa=True" if p.get(k).shape[1] != heads * group else ""
    mask = p.input(p.one((s, kv), (b, 1, s, kv), (1, kv), (b, 1, 1, kv)), p.one(torch.bool, dtype))
    name = F + "scaled_dot_product_attention"
    return p.define(p.one(
        f"{name}({q}, {k}, {v}, is_causal={causal}{extra})", f"{name}({q}, {k}, {v}, attn_mask={mask}{extra})",
        f"{name}({q}, {k}, {v}, None, 0.0, {causal}, scale=0.3{extra})",
        f"torch.softmax(({q} @ {k}.transpose(-2, -1) * {d ** -0.5:.3g}).masked_fill(torch.ones({s}, {kv}).tril() == 0, -inf), -1) @ {v}",
        f"torch.softmax({q} @ {k}.transpose(-2, -1) / {math.sqrt(d):.3g} + torch.where({mask} > 0, 0.0, -100.0), -1) @ {v}",
        f"{name}({q}, {k}, {v}, is_causal={causal}{extra}).transpose(1, 2).reshape({b}, {s}, {heads * group * d})"))


def rotary(p):
    b, h, s, d = p.one(1, 2), p.one(1, 3), p.one(1, 7, 16, 33), p.one(4, 8, 32)
    x, cos, sin = p.input((b, h, s, d)), p.input((s, d)), p.input((s, d))
    half = p.one(f"torch.cat((-{x}[..., {d // 2}:], {x}[..., :{d // 2}]), -1)",
                 f"torch.stack((-{x}[..., 1::2], {x}[..., ::2]), -1).flatten(-2)")
    angle = f"torch.outer(torch.arange({s}), 1.0 / 100 ** (torch.arange(0, {d}, 2) / {d})).repeat(1, 2)"
    return p.define(p.one(f"{x} * {cos} + {half} * {sin}", f"{x} * torch.cos({angle}) + {half} * torch.sin({angle})",
                          f"({x} * {cos}[None, None] + {half} * {sin}[None, None]).to({x}.dtype)"))


def convolution(p):
    rank = p.one(1, 2, 2)
    c, groups = p.one(1, 2, 4, 6), 1
    out = p.one(1, 3, 4, 8)
    if p.chance(0.25):
        groups, out = (2, 4) if c % 2 == 0 else (1, out)
    x = p.pick(lambda t: t.dim() == rank + 2 and t.shape[1] == c)
    if not x:
        x = p.input((p.one(1, 2, 3), c) + tuple(p.one(4, 7, 8, 17, 31) for _ in range(rank)))
    dtype = p.get(x).dtype
    kernel = tuple(p.one(1, 2, 3) for _ in range(rank))
    w, b = p.input((out, c // groups) + kernel, dtype), p.input((out,), dtype)
    turned = p.input((c, out // groups) + kernel, dtype)
    rest = f"{p.one(1, 2)}, {p.one(0, 1)}"
    y = p.define(p.one(f"{F}conv{rank}d({x}, {w} * 0.3, {b}, {rest}, {p.one(1, 2)}, {groups})", f"{F}conv{rank}d({x}, {w} * 0.3, None, {rest}, 1, {groups})",
                       f"{F}conv_transpose{rank}d({x}, {turned} * 0.3, None, {rest}, 0, {groups})", f"{F}conv{rank}d({x}, {w} * 0.3, {b}, 1, 'same', 1, {groups})"))
    if y and p.chance(0.6):
        y = p.define(f"torch.relu({F}batch_norm({y}, None, None, None, None, True))") or y
    return y and pool(p, y, rank)


def pool(p, y, rank):
    if p.chance(0.4):
        return y
    return p.define(p.one(
        f"{F}max_pool{rank}d({y}, 2)", f"{F}max_pool{rank}d({y}, 3, 2, 1)", f"{F}avg_pool{rank}d({y}, 2)", f"{F}avg_pool{rank}d({y}, 3, 1, 1, count_include_pad=False)",
        f"{F}adaptive_avg_pool{rank}d({y}, 1)", f"{F}adaptive_avg_pool{rank}d({y}, 3)", f"{F}adaptive_max_pool{rank}d({y}, 2)", f"{y}.mean(-1)",
        f"{F}interpolate({y}, scale_factor=2, mode='nearest')", f"{F}max_pool{rank}d({y}, 2, ceil_mode=True)"))


def loss(p):
    x = p.pick(lambda t: t.dim() in (2, 3, 4) and t.numel() > 0)
    if not x:
        return None
    t = p.get(x)
    classes = t.shape[1]
    i = p.index(tuple(t.shape[:1]) + tuple(t.shape[2:]), classes)
    w, y = p.input((classes,), t.dtype, positive=True), p.input(tuple(t.shape), t.dtype)
    how = p.one("mean", "sum", "none")
    flat = p.index((t.numel() // t.shape[-1],), t.shape[-1])
    return p.define(p.one(
        f"{F}cross_entropy({x}, {i}, reduction='{how}')", f"{F}cross_entropy({x}, {i}, {w}, ignore_index=0, reduction='{how}')",
        f"{F}cross_entropy({x}, {i}, label_smoothing=0.1, reduction='{how}')", f"{F}cross_entropy({x}, torch.softmax({y}, 1), reduction='{how}')",
        f"{F}nll_loss(torch.log_softmax({x}, 1), {i}, reduction='{how}')", f"{F}mse_loss({x}, {y}, reduction='{how}')",
        f"{F}binary_cross_entropy_with_logits({x}, torch.sigmoid({y}), reduction='{how}')", f"{F}smooth_l1_loss({x}, {y}, reduction='{how}')",
        f"{F}kl_div(torch.log_softmax({x}, -1), torch.softmax({y}, -1), reduction='{p.one('batchmean', how)}')",
        f"{F}l1_loss({x}, {y}, reduction='{how}')", f"{F}huber_loss({x}, {y}, reduction='{how}')", f"{F}cosine_similarity({x}, {y}, -1)",
        f"{F}cross_entropy({x}.flatten(0, -2), {flat}, reduction='{how}')", f"{F}cross_entropy({x}.flatten(0, -2).float(), {flat}, ignore_index=1)",
        f"{F}cross_entropy({x}, {i}, {w}, label_smoothing=0.2, reduction='{how}')"))


def create(p):
    n = p.size()
    dtype = p.one("torch.float32", "torch.float64", "torch.int64", "torch.bfloat16")
    return p.define(p.one(
        f"torch.arange({n}, dtype={dtype})", f"torch.arange({n}) * 0.25", f"torch.ones({n}, {p.one(1, 3)}, dtype={dtype})", f"torch.full(({n},), 0.5)",
        f"torch.eye({min(n, 40)})", f"torch.linspace(-1, 1, {n})", f"torch.ones({min(n, 100)}, {min(n, 100)}).tril()", f"torch.zeros({n})", "torch.tensor(0.5)",
        f"torch.arange({n}).unsqueeze(1) >= torch.arange({n})" if n <= 64 else f"torch.arange({n}) % 5", "torch.tensor([1.0, -2.0, 0.5])", "torch.tensor(3)"))


EMITTERS = {
    "models": [(unary, 4), (binary, 5), (reduce, 3), (along, 2), (view, 3), (norm, 4), (product, 4), (attention, 2), (rotary, 1), (convolution, 2),
               (loss, 2), (embedding, 1), (indexing, 1), (cast, 1), (join, 1)],
    "views": [(unary, 2), (binary, 3), (reduce, 1), (view, 8), (in_place, 7), (join, 2), (indexing, 2), (cast, 1), (along, 1)],
    "dtypes": [(unary, 3), (binary, 4), (reduce, 3), (along, 2), (view, 2), (cast, 5), (integer, 6), (create, 2), (indexing, 1), (in_place, 1)],
    "rows": [(unary, 3), (binary, 5), (reduce, 5), (along, 4), (norm, 4), (loss, 2), (cast, 1), (view, 2), (indexing, 1), (create, 1)],
    "all": [(unary, 3), (binary, 4), (reduce, 3), (along, 3), (view, 4), (norm, 2), (product, 2), (attention, 1), (rotary, 1), (convolution, 1), (loss, 2),
            (embedding, 1), (indexing, 2), (cast, 2), (join, 1), (in_place, 2), (integer, 2), (create, 1)],
}


def generate(seed, kind, scale, statements):
    """A program of up to so many statements."""
    p = Program(seed, scale)
    emitters, weights = zip(*EMITTERS[kind])
    for _ in range(4 * statements):
        if len(p.lines) >= statements:
            break
        p.rng.choices(emitters, weights)[0](p)
    return p
