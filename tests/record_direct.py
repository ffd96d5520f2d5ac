"""Writes and records the programs of tests/cases/direct: PyTorch's own kernels as direct kernels, for `replay`.

    python3 tests/record_direct.py [FAMILY...]

A family is a function that draws inputs from a Draw and returns calls; it is asked until SHAPES different sets of
shapes have come, half of them f32 and half f64. Of every family FAMILY.py has one program a shape and
FAMILY.safetensors PyTorch's inputs, results and, where the family says so, cotangents and gradients. Needs torch and
safetensors.
"""
import pathlib
import re
import sys
import warnings
import zlib

import torch
from safetensors.torch import save_file
from torch.utils._pytree import tree_leaves

SHAPES = 20
FOLDER = pathlib.Path(__file__).parent / "cases" / "direct"
SHORT = {
    torch.float32: "f32", torch.float64: "f64", torch.bfloat16: "bf16", torch.int64: "i64", torch.bool: "b8",
    torch.complex64: "c64",
}
NAMES = {"torch": torch, "inf": float("inf")}
FAMILIES = {}


def family(fresh, grad=False):
    """fresh: the inputs, by letter, that have another shape in every program."""

    def add(function):
        FAMILIES[function.__name__] = (function, fresh, grad)
        return function

    return add


class Draw:
    """The inputs of one program."""

    def __init__(self, seed, dtype):
        self.generator = torch.Generator().manual_seed(seed)
        self.dtype = dtype
        self.inputs = {}
        self.constant = []  # names of inputs that have no gradient

    def size(self, low=1, high=4):
        return int(torch.randint(low, high + 1, (), generator=self.generator))

    def pick(self, *choices):
        return choices[self.size(0, len(choices) - 1)]

    def shape(self, low=0, high=4):
        return [self.size(1, 3) for _ in range(self.size(low, high))]

    def put(self, name, t):
        self.inputs[name] = t
        return t

    def normal(self, name, *shape):
        return self.put(name, torch.randn(shape, generator=self.generator, dtype=torch.float64).to(self.dtype))

    def between(self, name, low, high, *shape):
        t = torch.rand(shape, generator=self.generator, dtype=torch.float64)
        return self.put(name, (low + (high - low) * t).to(self.dtype))

    def different(self, name, *shape):
        """No two elements are equal or nearly so: what sorts or takes the largest has one answer."""
        n = torch.Size(shape).numel()
        order = torch.randperm(n, generator=self.generator).to(self.dtype)
        return self.put(name, ((order - n / 2 + 0.25) / 4).reshape(shape))

    def ints(self, name, low, high, *shape):
        return self.put(name, torch.randint(low, high, shape, generator=self.generator))

    def order(self, name, n, count):
        """Indices below n that do not repeat."""
        return self.put(name, torch.randperm(n, generator=self.generator)[:count])

    def mask(self, name, *shape):
        return self.put(name, torch.rand(shape, generator=self.generator) < 0.5)

    def complex(self, name, *shape):
        """safetensors has no other complex dtype."""
        return self.put(name, torch.randn(shape, generator=self.generator, dtype=torch.complex64))


# ------------------------------------------------------------------------------------ elementwise


@family("a", grad=True)
def unary(d):
    s = d.shape()
    d.normal("a", *s), d.between("p", 0.05, 0.95, *s), d.between("q", 1.1, 4, *s)
    return [
        "torch.acosh(q)", "torch.asin(p)", "torch.atan(a)", "torch.cos(a)", "torch.cosh(a)", "torch.digamma(q)",
        "torch.floor(a)", "torch.log10(q)", "torch.log1p(p)", "torch.log2(q)", "torch.neg(a)", "torch.positive(a)",
        "torch.sin(a)", "torch.sinh(a)", "torch.sqrt(q)", "torch.tan(p)", "torch.trunc(a)", "aten.elu(a, 1.5, 1.2, 0.7)",
        "torch.nn.functional.rrelu(a, 0.1, 0.3)", "torch.nn.functional.dropout(a, 0.5, False)",
        "torch.nn.functional.alpha_dropout(a, 0.5, False)", "aten.celu(a, 0.6)", "torch.clone(a)", "a.contiguous()",
        "aten.alias(a)", "a.detach()", "torch.isfinite(a)", "torch.signbit(a)", "torch.logical_not(a)",
    ]


@family("a")
def binary(d):
    s = d.shape()
    d.normal("a", *s), d.normal("b", *s), d.between("q", 1.5, 4, *s), d.between("p", 0.2, 3, *s)
    d.ints("i", -9, 9, *s), d.ints("j", -9, 9, *s), d.ints("k", 0, 5, *s)
    return [
        "torch.bitwise_not(i)", "torch.bitwise_and(i, j)", "torch.bitwise_or(i, j)", "torch.bitwise_xor(i, j)",
        "torch.bitwise_left_shift(i, k)", "torch.bitwise_right_shift(i, k)", "torch.gcd(i, j)", "torch.lcm(i, j)",
        "torch.eq(i, j)", "torch.ne(i, j)", "torch.ge(a, b)", "torch.le(a, b)", "torch.lt(i, j)",
        "torch.special.zeta(q, p)", "torch.igamma(q, p)", "torch.igammac(q, p)", "a.type_as(i)", "i.type_as(a)",
        "a.type(torch.int64)", "torch.isin(i, j)", "torch.isin(i, 3, invert=True)",
        f"torch.special.shifted_chebyshev_polynomial_v(a, {d.size(0, 5)})",
        f"torch.special.shifted_chebyshev_polynomial_w(a, {d.size(0, 5)})",
        "torch.full_like(a, a.dim() + a.numel() + a.storage_offset())",
    ]


@family("a", grad=True)
def special(d):
    s = d.shape()
    d.normal("a", *s), d.between("w", -14, 14, *s), d.between("q", -3, 14, *s)
    d.put("c", torch.complex(*torch.randint(0, 3, (2, *s), generator=d.generator).float()))
    return [
        "torch.special.i1(a)", "torch.special.i1(w)", "torch.special.i1e(w)", "torch.i0(w)", "torch.special.i0e(w)",
        "torch.special.erfcx(q)", "torch.special.log_ndtr(w)", "torch.special.log_ndtr(a)", "torch.isreal(c)", "torch.isreal(a)",
    ]


# ----------------------------------------------------------------------------------------- in place


@family("a", grad=True)
def in_place(d):
    s = d.shape()
    d.normal("a", *s), d.between("p", 0.1, 0.9, *s), d.ints("i", -9, 9, *s), d.mask("m", *s)
    return [
        "a.clone().cos_()", "p.clone().log_()", "p.clone().rsqrt_()", "a.clone().add_(p, alpha=2)", "a.clone().mul_(p)",
        "a.clone().div_(p)", "a.clone().sub_(p)", "p.clone().pow_(2.5)", "a.clone().clamp_(-0.5, 0.5)",
        "a.clone().lerp_(p, 0.3)", "a.clone().addcmul_(a, p, value=0.5)", "a.clone().addcdiv_(a, p)",
        "a.clone().masked_fill_(m, 2.0)", "a.clone().sigmoid_()", "torch.relu_(a.clone())", "a.clone().copy_(p)",
        "a.clone().zero_()", "a.clone().fill_(3.0)", "i.clone().gcd_(i)", "i.clone().bitwise_and_(5)", "a.clone().lt_(p)",
        "torch._foreach_mul_([a.clone(), p.clone()], 2.0)", "torch.ops.aten.elu_(a.clone())",
    ]


@family("a")
def in_place_lists(d):
    s, t = d.shape(), d.shape()
    d.normal("a", *s), d.normal("b", *t), d.between("p", 0.1, 0.9, *s), d.between("q", 0.1, 0.9, *t)
    lines = []
    for n, call in enumerate(("abs_(L)", "sqrt_(L)", "add_(L, [p, q], alpha=2)", "lerp_(L, [p, q], 0.4)", "zero_(L)",
                              "addcdiv_(L, [a, b], [p, q], 2.0)", "copy_(L, [a, b])", "clamp_min_(L, 0.5)")):
        lines += [f"c{n} = p.clone()", f"e{n} = q.clone()", f"torch._foreach_{call}".replace("L", f"[c{n}, e{n}]")]
        lines[-1] = f"_ = {lines[-1]}"
    return lines + [f"({', '.join(f'c{n}, e{n}' for n in range(8))})"]


# -------------------------------------------------------------------------------------- creation


@family("ae")
def creation(d):
    s = d.shape()
    d.normal("a", *s)
    size, one = str(s), d.size(1, 30)
    dense = str(list(torch.empty(s).stride()))
    d.normal("e", one)
    return [
        f"torch.arange(-2, {2 * one - 2}, 2)", f"torch.ones_like(torch.empty({size}))",
        "torch.ones_like(torch.empty_like(a))", f"torch.ones_like(torch.empty_strided({size}, {dense}))",
        f"torch.ones_like(torch.empty_permuted({size}, {list(range(len(s)))}))", f"torch.full({size}, {d.size()}.5)",
        f"torch.logspace(-1, 1, {one})", f"torch.logspace(0, 3, {one}, base=2.0, dtype=torch.float64)",
        f"torch.ones_like(a.new_empty({size}))", f"torch.ones_like(a.new_empty_strided({size}, {dense}))",
        f"a.new_full({size}, 2.5)", f"a.new_ones({size})", f"a.new_zeros({size})", f"a.new_tensor({[1.5] * one})",
        "torch.ones_like(a)", "torch.zeros_like(a)", f"torch.zeros({size})", f"torch.scalar_tensor({one}.5)",
        "torch.ops.aten.fill(a, 2.5)", "torch.ops.aten.zero(a)", "torch.ops.aten.copy(a, torch.ones_like(a))",
        f"torch.tensor({list(range(one))})",
    ]


@family("a")
def windows(d):
    n = d.size(1, 40)
    d.normal("a", n)
    sym = d.pick("True", "False")
    w = "torch.signal.windows."
    return [
        f"{w}bartlett({n}, sym={sym})", f"{w}cosine({n}, sym={sym})", f"{w}exponential({n}, tau=1.7, sym={sym})",
        f"{w}general_cosine({n}, a=[0.4, 0.35, 0.25], sym={sym})", f"{w}general_hamming({n}, alpha=0.6, sym={sym})",
        f"{w}hamming({n}, sym={sym})", f"{w}kaiser({n}, beta=9.5, sym={sym})", f"{w}nuttall({n}, sym={sym})",
        f"{w}hann({n}, sym={sym})", f"{w}blackman({n}, sym={sym})", f"{w}gaussian({n}, std=1.3, sym={sym})",
    ]


# ----------------------------------------------------------------------------------------- shapes


@family("ah", grad=True)
def shapes(d):
    x, y, z = d.size(1, 3), d.size(2, 4), d.size(1, 3)
    d.normal("a", x, y, z), d.normal("v", y), d.normal("s"), d.normal("h", d.size(1, 3), d.size(1, 3), 2 * d.size(1, 3)), d.normal("r", x, 1, z)
    k, step = d.size(1, y), d.size(1, 2)
    cut = d.size(0, y)
    return [
        "torch.atleast_1d(s)", "torch.atleast_1d(a)", "torch.atleast_2d(v)", "torch.atleast_2d(a)",
        "torch.atleast_3d(v)", "torch.atleast_3d(a)", f"torch.broadcast_to(r, ({x}, {y}, {z}))",
        f"r.expand({y}, -1, {y}, {z})", f"a.reshape({x * y}, -1)", "a.reshape_as(a.transpose(0, 2))", f"a.view(-1, {z})",
        f"torch.ops.aten.slice.Tensor(a, 1, {d.size(0, y - 1)}, {y}, {step})", f"a.split_with_sizes([{cut}, {y - cut}], 1)",
        f"a.unfold(1, {k}, {step})", "torch.ops.aten.dsplit.int(h, sections=2)", "torch.ops.aten.hsplit.array(h.movedim(2, 1), indices=[1])", "torch.vsplit(h.movedim(2, 0), 2)",
        f"torch.as_strided(a, ({x}, {y}), (1, 1))", f"r.sum_to_size(1, 1, {z})", f"a.sum_to_size({x}, 1, {z})",
    ]


@family("pw")
def layouts(d):
    s = d.shape(1, 3)
    d.complex("z", *s), d.normal("p", *s, 2), d.normal("w", d.size(2, 7), d.size(2, 6)), d.normal("s")
    rows, columns = d.inputs["w"].shape
    other = "torch.int32" if d.dtype == torch.float32 else "torch.int64"
    return [
        "torch.view_as_real(torch.view_as_complex(p) * 2)", "torch.view_as_real(z)", f"p.view({other})", "w.clone().fill_diagonal_(2.5)",
        "torch.ones(7, 2).fill_diagonal_(0.5, wrap=True)", "p * s.item()",
        # Without gradient: PyTorch gives that of the elements that stay to those that do not.
        f"torch.as_strided_scatter(w, w[:, 1], ({d.inputs['w'].shape[0]},), ({d.inputs['w'].shape[1]},), 0)",
        "torch.renorm(p, 2, 0, 1.1)",
        "torch.renorm(w, 1, 1, 0.9)", "torch.ops.aten._chunk_cat([w, w], 1, 2)", "torch.ops.aten._chunk_cat([p, w], 0, 3)", "torch.full_like(p, p.size(0) + p.stride(0))",
    ]


# ------------------------------------------------------------------------------ sorting, indexing


@family("a", grad=True)
def sorting(d):
    s = d.shape(1, 3)
    d.different("a", *s)
    dim = d.size(0, len(s) - 1)
    k = d.size(1, s[dim])
    return [
        f"torch.argmin(a, {dim})", "torch.argmin(a)", f"torch.median(a, {dim})", "torch.median(a)",
        f"torch.median(a, {dim}, True)", f"torch.topk(a, {k}, {dim})", f"torch.topk(a, {k}, {dim}, False)",
        f"torch.var_mean(a, {dim}, correction=0)",
    ]


@family("ak", grad=True)
def orders(d):
    s = d.shape(1, 3)
    dim, n = d.size(0, len(s) - 1), d.size(2, 4)
    d.different("a", *s)
    d.different("k", *s)
    d.inputs["k"][torch.rand(s, generator=d.generator) < 0.3] = float("nan")
    d.different("e", *s)
    d.inputs["e"].view(-1)[d.size(0, d.inputs["e"].numel() - 1)] = float("nan")  # of several the order is not told
    d.between("q", 0, 1, d.size(1, 3)), d.between("p", 0, 1)
    d.normal("r", d.size(2, 6), d.size(3, 7)), d.ints("i", -3, 4, d.size(2, 6))
    how, keep = d.pick("linear", "lower", "higher", "midpoint", "nearest"), d.pick("True", "False")
    return [
        "torch.quantile(a, 0.3)", f"torch.quantile(a, q, {dim}, {keep})", f"torch.quantile(a, p, {dim}, interpolation='{how}')",
        f"a.quantile(q, dim=None, keepdim={keep})", "torch.quantile(e, q)", f"torch.nanquantile(k, q, {dim}, {keep})",
        f"torch.nanquantile(k, 0.7, interpolation='{how}')", "torch.nanmedian(k)", f"torch.nanmedian(k, {dim})",
        f"torch.nanmedian(a, {dim}, {keep})", "torch.msort(a)", "torch.corrcoef(r)", "torch.corrcoef(r[0])",
        f"torch.linalg.vander(r, N={n})", "torch.linalg.vander(r.T)", "torch.linalg.vander(r)", f"torch.vander(r[0].detach(), {n})", "torch.vander(i, increasing=True)",
        "torch.vander(r.reshape(-1).detach(), 3)",
    ]


@family("ir")
def sets(d):
    s = d.shape(1, 3)
    d.ints("i", 0, 3, *s), d.mask("m", *s), d.normal("a", *s), d.ints("r", 0, 2, d.size(2, 8), d.size(1, 4))
    return [
        "torch.nonzero(i)", "torch.nonzero(m)", "torch.argwhere(i)", "torch.masked_select(a, m)",
        "torch.unique(i, return_inverse=True, return_counts=True)", "torch.unique_consecutive(i)",
        "torch.unique_consecutive(i, return_inverse=True, return_counts=True)",
        "torch.ops.aten._unique2(i, True, True, True)", "torch.ops.aten.unique_dim(r, 0, True, True, True)",
        "torch.unique(r, dim=0)", "torch.unique_consecutive(r, dim=0)",
    ]


@family("a", grad=True)
def indexing(d):
    x, y, n = d.size(2, 6), d.size(1, 5), d.size(1, 5)
    c = d.size(1, x)
    d.normal("a", x, y), d.normal("b", n, y), d.normal("e", c, y), d.mask("m", x, y), d.normal("w", x * y)
    d.ints("i", 0, x, n), d.ints("j", 0, y, n), d.ints("g", 0, x, n, y), d.ints("t", 0, x * y, n, 2)
    d.order("o", x, c), d.normal("v", n)
    d.put("u", d.inputs["o"].unsqueeze(1).expand(c, y).contiguous())
    return [
        "torch.nn.functional.embedding(i, a)", "torch.gather(a, 0, g)", "torch.ops.aten.index.Tensor(a, [i, None])",
        "torch.ops.aten.index.Tensor(a, [i, j])", "torch.index_add(a, 0, i, b, alpha=1.5)", "torch.index_copy(a, 0, o, e)",
        "torch.index_put(a, (o,), e)", "torch.index_put(a, (i, j), v, accumulate=True)",
        "torch.masked_scatter(a, m, w)", "torch.scatter(a, 0, u, e)", "torch.scatter_add(a, 0, g, b)", "s = a.clone()", "s[0] = 2.5", "s * 2",
        "torch.take(a, t)", "torch.index_fill(a, 0, i, 0.5)",
        "a.clone().index_add_(0, i, b)", "a.clone().scatter_add_(0, g, b)", "a.clone().index_put_((i, j), v, True)",
        "a.clone().scatter_reduce_(0, u, e, 'amax')", "a.clone().masked_scatter_(m, w)",
    ]


@family("ae", grad=True)
def placing(d):
    x, y, n = d.size(2, 6), d.size(1, 5), d.size(1, 5)
    d.normal("a", x, y), d.normal("b", n, y), d.normal("e", x, n), d.ints("i", 0, x, n), d.ints("j", 0, y, n)
    d.order("o", x * y, x), d.normal("v", x), d.ints("t", -x * y, x * y, n, 2), d.normal("w", n, 2)
    self = d.pick("True", "False")
    return [
        "torch.put(a, o, v)", "torch.put(a, t, w, accumulate=True)", "a.clone().put_(o - a.numel(), v)",
        f"torch.index_reduce(a, 0, i, b, 'prod', include_self={self})", f"torch.index_reduce(a, 1, j, e, 'mean', include_self={self})",
        f"torch.index_reduce(a, 0, i, b, 'amax', include_self={self})", f"a.clone().index_reduce_(1, j, e, 'amin', include_self={self})",
    ]


@family("w")
def bags(d):
    x, y, n = d.size(2, 6), d.size(1, 5), d.size(2, 7)
    d.normal("w", x, y), d.ints("i", 0, x, n), d.put("o", torch.tensor([0, d.size(1, n - 1)])), d.normal("s", n)
    mode = d.size(0, 2)
    return [
        f"torch.nn.functional.embedding_bag(i, w, o, mode='{d.pick('sum', 'mean', 'max')}')",
        "torch.nn.functional.embedding_bag(i, w, o, mode='sum', per_sample_weights=s)",
        f"torch.ops.aten._embedding_bag(w, i, o, False, {mode})[0]",
    ]


# ------------------------------------------------------------------------------- normalising, losses


@family("a", grad=True)
def norms(d):
    n, c, x = d.size(1, 3), 2 * d.size(1, 3), d.size(2, 5)
    d.normal("a", n, c, x), d.normal("w", c), d.normal("b", c), d.normal("g", x), d.mask("m", n, c, x)
    return [
        f"torch.ops.aten.native_group_norm(a, w, b, {n}, {c}, {x}, 2, 1e-05)",
        f"torch.nn.functional.local_response_norm(a, {d.size(1, 3)}, 0.3, 0.7, 1.2)",
        "torch.ops.aten.native_batch_norm(a, w, b, None, None, True, 0.1, 1e-05)",
    ]


@family("a")
def more_norms(d):
    n, c, x = d.size(1, 3), d.size(1, 4), d.size(2, 4)
    d.normal("a", n, c, x), d.normal("w", c), d.normal("b", c), d.normal("g", x), d.mask("m", n, c, x)
    d.normal("e", c), d.between("f", 0.3, 2, c), d.normal("k", n, 1, 1)
    d.put("h", torch.randn((n, x), generator=d.generator).to(torch.bfloat16))
    return [
        "torch.ops.aten._native_batch_norm_legit_no_training(a, w, b, e, f, 0.1, 1e-05)[0]",
        f"torch.ops.aten._fused_rms_norm(a, [{x}], g, 1e-05)", "torch.ops.aten._weight_norm_interface(a, k, 0)",
        "torch.ops.aten._masked_softmax(a, m, 2)",
    ]


@family("a", grad=True)
def losses(d):
    n, c = d.size(1, 6), d.size(2, 6)
    d.normal("a", n, c), d.ints("t", 0, c, n), d.between("w", 0.3, 2, c), d.ints("y", 0, 2, n, c)
    d.constant = ["w"]
    labels = torch.full((n, c), -1)
    for row in labels:
        k = d.size(1, c)
        row[:k] = torch.randperm(c, generator=d.generator)[:k]
    d.put("l", labels), d.normal("p", n, c), d.normal("q", n, c)
    r = d.pick("mean", "sum", "none")
    f = "torch.nn.functional."
    return [
        f"{f}multi_margin_loss(a, t, p={d.size(1, 2)}, margin=0.7, weight=w, reduction='{r}')",
        f"{f}multilabel_margin_loss(a, l, reduction='{r}')", f"{f}multilabel_soft_margin_loss(a, y, w, reduction='{r}')",
        f"torch.ops.aten.nll_loss_forward(a, t, w, {d.size(0, 2)}, -100)",
        f"{f}triplet_margin_with_distance_loss(a, p, q, margin=0.8, swap={d.pick('True', 'False')}, reduction='{r}')",
    ]


# ----------------------------------------------------------------------------- windows over planes


@family("ab", grad=True)
def convolutions(d):
    n, c, o, x = d.size(1, 2), d.size(1, 3), d.size(1, 2), d.size(2, 5)
    d.normal("a", n, c, x, x + 1), d.normal("b", n, c, 2, x, 3), d.normal("w", o, c, 2, 2, 2), d.normal("e", o)
    d.normal("t", c, o, 2, 3), d.normal("u", c, o, 2, 2, 2), d.normal("k", o, c, 2, 3)
    s = d.size(1, 2)
    f = "torch.nn.functional."
    return [
        f"{f}conv3d(b, w, e, {s}, 1)", f"{f}conv_transpose2d(a, t, e, {s}, 1, {s - 1})",
        f"{f}conv_transpose3d(b, u, e, {s})",
        f"torch.ops.aten.convolution(a, k, e, [{s}, 1], [1, 0], [1, 1], False, [0, 0], 1)",
    ]


@family("lpv", grad=True)
def pools(d):
    n, c, x, y = d.size(1, 2), d.size(1, 2), d.size(3, 6), d.size(3, 4)
    d.different("l", n, c, d.size(3, 9)), d.different("p", n, c, x, y), d.different("v", n, c, 2, x, y)
    d.normal("k", n, 4 * c, (x - 1) * (y - 1))
    f = "torch.nn.functional."
    s, m, ceil = d.size(1, 2), d.size(1, 3), d.pick("True", "False")
    return [
        f"{f}max_pool3d(v, 2, {s}, 1)", f"{f}max_pool1d_with_indices(l, 2, {s}, 1, 1, {ceil})",
        f"{f}max_pool2d_with_indices(p, 2, {s}, 0, 1, {ceil})", f"torch.ops.aten.max_pool3d_with_indices(v, [2, 2, 3], [{s}])",
        f"{f}avg_pool3d(v, 2, {s}, 1, {ceil}, {d.pick('True', 'False')})", f"{f}adaptive_avg_pool3d(v, (2, {m}, None))",
        f"{f}adaptive_max_pool2d(p, ({m}, 2))", f"{f}adaptive_max_pool3d(v, (2, {m}, 2))",
        f"{f}lp_pool2d(p.abs() + 0.1, 2.5, 2, {s}, {ceil})", f"{f}fold(k, ({x}, {y}), 2)",
    ]


@family("lpv")
def unpools(d):
    n, c, x, y = d.size(1, 2), d.size(1, 3), 2 * d.size(2, 3), 2 * d.size(1, 3)
    d.different("l", n, c, 2 * d.size(1, 5)), d.different("p", n, c, x, y), d.different("v", n, c, 2, x, y)
    f = "torch.nn.functional."
    return [
        f"y, i = {f}max_pool1d_with_indices(l, 2)", f"{f}max_unpool1d(y, i, 2)",
        f"z, j = {f}max_pool2d_with_indices(p, 2)", f"{f}max_unpool2d(z, j, 2)",
        f"u, k = {f}max_pool3d_with_indices(v, 2)", f"{f}max_unpool3d(u, k, 2)",
    ]


@family("lpv", grad=True)
def upsampling(d):
    n, c, x, y = d.size(1, 2), d.size(1, 2), d.size(2, 4), d.size(2, 4)
    h, w = d.size(1, 4), d.size(2, 4)
    d.normal("l", n, c, d.size(2, 8)), d.normal("p", n, c, x, y), d.normal("v", n, c, 2, x, y), d.between("g", -1.1, 1.1, n, h, w, 2)
    a = d.pick("True", "False")
    t = "torch.ops.aten."
    return [
        f"{t}upsample_nearest1d(l, [{h}])", f"{t}upsample_nearest2d(p, [{h}, {w}])", f"{t}upsample_nearest3d(v, [2, {h}, {w}])",
        f"{t}_upsample_nearest_exact1d(l, [{h}])", f"{t}_upsample_nearest_exact2d(p, [{h}, {w}])",
        f"{t}_upsample_nearest_exact3d(v, [2, {h}, {w}])", f"{t}upsample_linear1d(l, [{h}], {a})",
        f"{t}upsample_bilinear2d(p, [{h}, {w}], {a})", f"{t}upsample_trilinear3d(v, [2, {h}, {w}], {a})",
        f"{t}upsample_bicubic2d(p, [{h}, {w}], {a})",
        # Not where sizes are equal, or 2 to 1: PyTorch's nearest and cubic forget the scale in some layouts and gradients.
        f"{t}upsample_nearest1d(l, [{d.inputs['l'].shape[2] + 1}], 1.3)", f"{t}upsample_linear1d(l, [{h}], {a}, 1.3)",
        f"{t}upsample_linear1d(l, [{d.inputs['l'].shape[2]}], {a}, scales=1.3)",
        f"{t}upsample_bilinear2d(p, [{x}, {w}], {a}, scales_h=1.4, scales_w=1.2)",
        f"{t}upsample_trilinear3d(v, [2, {x}, {w}], {a}, scales_d=1.2, scales_h=1.3, scales_w=0.8)",
        f"{t}upsample_bicubic2d(p, [{x + 1}, {w}], {a}, scales_h=1.2, scales_w=0.7)",
        f"{t}_upsample_nearest_exact2d(p, [{x}, {w}], scales_h=1.2, scales_w=1.7)",
        f"torch.nn.functional.interpolate(p, scale_factor=1.2, mode='bilinear')",
        f"{t}grid_sampler_2d(p, g, 0, {d.size(0, 1)}, {a})",
        f"torch.nn.functional.grid_sample(p, g, padding_mode='{d.pick('zeros', 'border', 'reflection')}', align_corners={a})",
    ]


@family("", grad=True)
def affine(d):
    n, x, y = d.size(1, 3), d.size(1, 4), d.size(1, 4)
    d.normal("t", n, 2, 3), d.normal("u", n, 3, 4)
    a = d.pick("True", "False")
    return [f"torch.nn.functional.affine_grid(t, ({n}, 1, {x}, {y}), {a})",
            f"torch.nn.functional.affine_grid(u, ({n}, 1, 2, {x}, {y}), {a})"]


# --------------------------------------------------------------------------- attention, recurrent


@family("", grad=True)
def cells(d):
    n, i, h = d.size(1, 3), d.size(1, 4), d.size(1, 4)
    d.normal("x", n, i), d.normal("h", n, h), d.normal("c", n, h)
    for gates in (1, 3, 4):
        d.normal(f"w{gates}", gates * h, i), d.normal(f"u{gates}", gates * h, h)
        d.normal(f"b{gates}", gates * h), d.normal(f"e{gates}", gates * h)
    return [
        "torch.gru_cell(x, h, w3, u3, b3, e3)", "torch.lstm_cell(x, [h, c], w4, u4, b4, e4)",
        "torch.rnn_tanh_cell(x, h, w1, u1, b1, e1)", "torch.rnn_relu_cell(x, h, w1, u1, b1, e1)",
    ]


@family("a")
def scaled_products(d):
    m, k, n = d.size(1, 5), d.size(1, 5), d.size(1, 5)
    d.normal("a", m, k), d.normal("b", n, k), d.normal("c", n)
    d.between("s", 0.1, 2, m, 1), d.between("t", 0.1, 2, 1, n)
    right = d.pick("torch.float8_e4m3fn", "torch.float8_e5m2")
    return [
        "x = a.float().to(torch.float8_e4m3fn)", f"y = b.float().to({right}).t()", "s = s.float()", "t = t.float()",
        "torch._scaled_mm(x, y, s[0], t[0, :1], out_dtype=torch.float32)",
        "torch._scaled_mm(x, y, s[:1, 0], t[0, 0], bias=c.float(), out_dtype=torch.bfloat16)",
    ] + (["torch._scaled_mm(x, y, s, t, out_dtype=torch.float32)"] if right.endswith("fn") else [])


@family("q")
def attention(d):
    n, h, l, k, e = d.size(1, 2), d.size(1, 2), d.size(1, 4), d.size(1, 4), d.size(2, 4)
    d.normal("q", n, h, l, e), d.normal("k", n, h, l, e), d.normal("v", n, h, l, e), d.normal("g", n, h, l, e)
    m = 2 * d.size(1, 2)
    d.normal("x", l, n, m), d.normal("y", k, n, m), d.normal("w", 3 * m, m), d.normal("b", 3 * m)
    d.normal("o", m, m), d.normal("c", m)
    causal = d.pick("True", "False")
    flash = "torch.ops.aten._scaled_dot_product_flash_attention_for_cpu"
    return [
        f"r, s = {flash}(q, k, v, 0.0, {causal})", "r", "s",
        f"{flash}_backward(g, q, k, v, r, s, 0.0, {causal})",
        f"torch.nn.functional.multi_head_attention_forward(x, y, y, {m}, 2, w, b, None, None, False, 0.0, o, c)",
    ]


# ------------------------------------------------------------------------------------------ Fourier


@family("a")
def fourier(d):
    x, y = d.size(1, 6), d.size(2, 6)
    d.dtype = torch.float32
    d.normal("a", x, y), d.complex("z", x, y)
    norm = d.pick("'ortho'", "'forward'", "None")
    f, t = "torch.fft.", "torch.ops.aten."
    return [
        f"{f}ifftn(z, norm={norm})", f"{f}rfftn(a, norm={norm})", f"{f}irfftn(z, s=({x}, {2 * y - d.size(1, 2)}), norm={norm})",
        f"{f}hfftn(z, norm={norm})", f"{f}ihfftn(a, norm={norm})", f"{t}_fft_r2c(a, [0, 1], {d.size(0, 2)}, {d.pick('True', 'False')})",
        f"{t}_fft_c2r(z, [1], {d.size(0, 2)}, {2 * y - 1})", f"{t}_fft_c2c(z, [0, 1], {d.size(0, 2)}, {d.pick('True', 'False')})",
    ]


# ------------------------------------------------------------------------------- gradients as operators


@family("a")
def plain_backward(d):
    x, y, n = d.size(2, 6), 2 * d.size(1, 5), d.size(1, 5)
    d.normal("a", x, y), d.normal("g", x, y), d.normal("h", x, y // 2), d.normal("w", y), d.mask("m", x, y)
    o = d.size(-x + 1, y - 1)
    d.normal("k", torch.empty(x, y).diagonal(o).numel()), d.normal("e", n, y), d.ints("i", 0, x, n)
    size, step = d.size(1, 2), d.size(1, 2)
    d.normal("u", x, (y - size) // step + 1, size)
    t = "torch.ops.aten."
    return [
        f"{t}elu_backward(g, 0.7, 1.0, 1 / 0.7, False, a)", f"{t}glu_backward(h, a, 1)",
        f"{t}_prelu_kernel_backward(g, a, w)", f"{t}diagonal_backward(k, [{x}, {y}], {o}, 0, 1)",
        f"{t}unfold_backward(u, [{x}, {y}], 1, {size}, {step})", f"{t}embedding_dense_backward(e, i, {x}, {d.size(-1, 0)}, False)",
        f"{t}embedding_dense_backward(e, i, {x}, -1, True)", f"{t}native_dropout_backward(g, m, 1.5)",
        f"{t}masked_scatter_backward(g, m, [{x * y}])",
    ]


@family("a")
def norm_backward(d):
    n, c, x = d.size(1, 3), 2 * d.size(1, 3), d.size(3, 5)
    d.normal("a", n, c, x), d.normal("g", n, c, x), d.normal("w", x), d.normal("b", x), d.normal("v", c), d.normal("u", c)
    d.normal("e", c), d.between("f", 0.3, 2, c)
    t = "torch.ops.aten."
    return [
        f"m, r = {t}native_layer_norm(a, [{x}], w, b, 1e-05)[1:]",
        f"{t}native_layer_norm_backward(g, a, [{x}], m, r, w, b, [True, True, True])",
        f"bm, br = {t}native_batch_norm(a, v, u, None, None, True, 0.1, 1e-05)[1:]",
        f"{t}native_batch_norm_backward(g, a, v, None, None, bm, br, True, 1e-05, [True, True, True])",
        f"{t}native_batch_norm_backward(g, a, v, e, f, bm, br, False, 1e-05, [True, True, True])",
        f"gm, gr = {t}native_group_norm(a, v, u, {n}, {c}, {x}, 2, 1e-05)[1:]",
        f"{t}native_group_norm_backward(g, a, gm, gr, v, {n}, {c}, {x}, 2, [True, True, True])",
    ]


@family("p")
def window_backward(d):
    n, c, o, x, y = d.size(1, 2), d.size(1, 2), d.size(1, 2), d.size(3, 5), d.size(3, 5)
    s = d.size(1, 2)
    d.different("p", n, c, x, y), d.different("v", n, c, 2, x, y), d.normal("k", o, c, 2, 3)
    t = "torch.ops.aten."
    shape = torch.nn.functional.max_pool2d(d.inputs["p"], 2, s).shape
    d.normal("g", *shape), d.normal("e", n, c, 2, 2), d.normal("b", n, c, 1, x - 1, y - 1), d.normal("f", n, c, 1, 2, 2)
    d.normal("q", *torch.nn.functional.conv2d(d.inputs["p"], d.inputs["k"], None, s, 1).shape)
    return [
        f"i = {t}max_pool2d_with_indices(p, [2, 2], [{s}, {s}])[1]",
        f"{t}max_pool2d_with_indices_backward(g, p, [2, 2], [{s}, {s}], [0, 0], [1, 1], False, i)",
        f"j = {t}adaptive_max_pool2d(p, [2, 2])[1]", f"{t}adaptive_max_pool2d_backward(e, p, j)",
        f"l = {t}adaptive_max_pool3d(v, [1, 2, 2])[1]", f"{t}adaptive_max_pool3d_backward(f, v, l)",
        f"{t}avg_pool2d_backward(g, p, [2, 2], [{s}, {s}], [0, 0], False, {d.pick('True', 'False')}, None)",
        f"{t}avg_pool3d_backward(b, v, [2, 2, 2], [1, 1, 1], [0, 0, 0], False, True, {d.pick('None', '3')})",
        f"{t}_adaptive_avg_pool2d_backward(e, p)", f"{t}_adaptive_avg_pool3d_backward(f, v)",
        f"{t}convolution_backward(q, p, k, [{o}], [{s}, {s}], [1, 1], [1, 1], False, [0, 0], 1, [True, True, True])",
        f"{t}upsample_nearest2d_backward(g, {list(shape[2:])}, [{n}, {c}, {x}, {y}])",
        f"{t}upsample_bilinear2d_backward(g, {list(shape[2:])}, [{n}, {c}, {x}, {y}], {d.pick('True', 'False')})",
    ]


@family("a")
def nll_backward(d):
    n, c = d.size(1, 6), d.size(2, 6)
    d.normal("a", n, c), d.ints("t", 0, c, n), d.between("w", 0.3, 2, c), d.normal("g", n), d.normal("h")
    return [
        "k = torch.ops.aten.nll_loss_forward(a, t, w, 1, -100)[1]",
        "torch.ops.aten.nll_loss_backward(h, a, t, w, 1, -100, k)", "torch.ops.aten.nll_loss_backward(h, a, t, w, 2, -100, k)",
        "torch.ops.aten.nll_loss_backward(g, a, t, w, 0, -100, k)",
    ]


# ------------------------------------------------------------------------------------ lists of tensors

ANY = "abs atan ceil cos cosh erf erfc exp expm1 floor frac neg round sigmoid sign sin sinh tan tanh trunc zero".split()
POSITIVE = "acos asin lgamma log log10 log1p log2 reciprocal rsqrt sqrt".split()


@family("a")
def foreach_unary(d):
    s, t = d.shape(), d.shape()
    d.normal("a", *s), d.normal("b", *t), d.between("p", 0.1, 0.9, *s), d.between("q", 0.1, 0.9, *t)
    return (
        [f"torch.ops.aten._foreach_{name}([a, b])" for name in ANY]
        + [f"torch.ops.aten._foreach_{name}([p, q])" for name in POSITIVE]
        + [f"torch._foreach_norm([a, b], {d.pick('1', '2', 'inf')})"]
    )


@family("a")
def foreach_more(d):
    s, t = d.shape(), d.shape()
    d.normal("a", *s), d.normal("b", *t), d.between("p", 0.3, 1.5, *s), d.between("q", 0.3, 1.5, *t), d.normal("n", 2)
    t = "torch.ops.aten._foreach_"
    n = [t + f"{name}.{kind}([a, b], {other})" for name in "mul div maximum minimum clamp_max clamp_min".split()
         for kind, other in (("List", "[p, q]"), ("Scalar", "1.5"), ("ScalarList", "[0.5, 2.0]"))]
    return n + [
        t + "add.List([a, b], [p, q], alpha=1.5)", t + "add.Scalar([a, b], 2.0)", t + "add.ScalarList([a, b], [1.0, 2.0])",
        t + "sub.List([a, b], [p, q], alpha=1.5)", t + "sub.Scalar([a, b], 2.0)", t + "sub.ScalarList([a, b], [1.0, 2.0])",
        t + "pow.List([p, q], [a, b])", t + "pow.Scalar([p, q], 1.5)", t + "pow.ScalarList([p, q], [0.5, 2.0])",
        t + "lerp.List([a, b], [p, q], [p, q])", t + "lerp.Scalar([a, b], [p, q], 0.3)",
        t + "addcmul.Scalar([a, b], [a, b], [p, q], 0.5)", t + "addcmul.ScalarList([a, b], [a, b], [p, q], [0.5, 2.0])",
        t + "addcdiv.Scalar([a, b], [a, b], [p, q], 0.5)", t + "addcdiv.Tensor([a, b], [a, b], [p, q], torch.tensor([0.5, 2.0]))",
        t + "copy([a, b], [p, q])", t + "mul.Tensor([a, b], n[0])", t + "div.Tensor([a, b], n[0])",
    ]


@family("a")
def steps(d):
    s = d.shape(1, 3)
    d.normal("a", *s), d.normal("g", *s), d.normal("m", *s), d.between("v", 0.1, 1, *s), d.between("x", 0.1, 1, *s)
    d.put("t", torch.tensor(float(d.size(1, 9))))
    big, ams = d.pick("True", "False"), d.pick("True", "False")
    largest = "[x]" if ams == "True" else "[]"
    adam = (f"[a], [g], [m], [v], {largest}, [t], lr=0.1, beta1=0.8, beta2=0.9, weight_decay=0.02, eps=1e-08, "
            f"amsgrad={ams}, maximize={big}")
    return [
        f"torch.ops.aten._fused_adam({adam})", f"torch.ops.aten._fused_adamw({adam})",
        f"torch.ops.aten._fused_sgd([a], [g], [m], weight_decay=0.1, momentum=0.9, lr=0.1, dampening=0.0, "
        f"nesterov={ams}, maximize={big}, is_first_step=False)",
    ]


# --------------------------------------------------------------------------------------- recording


def annotation(t):
    return f'"{SHORT[t.dtype]}[{", ".join(map(str, t.shape))}]"'


def program(name, d, calls):
    """Text: a call is an expression, or an assignment whose names later calls use."""
    text = [f"def {name}({', '.join(f'{n}: {annotation(t)}' for n, t in d.inputs.items())}):"]
    results = []
    for call in calls:
        call = re.sub(r"^aten\.", "torch.ops.aten.", call)
        if not re.match(r"\w+(\[\d+\])?(, \w+)* = ", call):
            results.append(f"y{len(results)}")
            call = f"{results[-1]} = {call}"
        text.append(f"    {call}")
    return "\n".join(text + [f"    return ({', '.join(results)},)\n"])


def record(name, d, text, grad, out):
    leaves = {n: t.clone() for n, t in d.inputs.items()}
    wrt = [n for n, t in leaves.items() if grad and t.is_floating_point() and n not in d.constant]
    for n in wrt:
        leaves[n].requires_grad_()
    scope = dict(NAMES)
    exec(text, scope)
    results = [r for r in tree_leaves(scope[name](**{n: t.clone() for n, t in leaves.items()})) if isinstance(r, torch.Tensor)]
    for n, t in leaves.items():
        out[f"{name}/in/{n}"] = t
    for i, r in enumerate(results):
        out[f"{name}/out/{i}"] = r
    flowing = [(i, r) for i, r in enumerate(results) if r.requires_grad]
    if not flowing:
        return
    cots = [torch.randn(r.shape, generator=d.generator, dtype=torch.float64).to(r.dtype) for _, r in flowing]
    grads = torch.autograd.grad([r for _, r in flowing], [leaves[n] for n in wrt], cots, allow_unused=True)
    for (i, _), c in zip(flowing, cots):
        out[f"{name}/cot/{i}"] = c
    for n, g in zip(wrt, grads):
        if g is not None:
            out[f"{name}/grad/{n}"] = g


def write(name):
    function, fresh, grad = FAMILIES[name]
    seen, texts, out, seed = set(), [], {}, 1000 * (zlib.crc32(name.encode()) % 1000)
    last = seed + 900
    while len(texts) < SHAPES:
        seed += 1
        if seed > last:
            raise ValueError(f"{name} has too few shapes")
        d = Draw(seed, (torch.float32, torch.float64)[len(texts) % 2])
        calls = function(d)
        new = {(n, d.inputs[n].shape) for n in fresh} | {str([(n, t.shape) for n, t in d.inputs.items()] + [calls])}
        if new & seen:
            continue
        seen |= new
        case = f"case{len(texts)}"
        texts.append(program(case, d, calls))
        record(case, d, texts[-1], grad, out)
    (FOLDER / f"{name}.py").write_text("import torch\nfrom math import inf\n\n" + "\n".join(texts))
    save_file({k: v.detach().clone().contiguous() for k, v in out.items()}, FOLDER / f"{name}.safetensors")
    print(f"{name}: {len(texts)} programs")


def main():
    warnings.simplefilter("ignore")
    FOLDER.mkdir(exist_ok=True)
    for name in sys.argv[1:] or FAMILIES:
        write(name)


main()
