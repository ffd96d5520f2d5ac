import torch
from math import inf, nan

# Views and in-place updates under autograd, one pattern each. PyTorch's values, gradients and
# changed inputs lie beside this file; record.py makes them.

def case0(x: "f32[4, 6]", y: "f32[4, 6]"):
    # an update in place, then a read
    a = x * 2
    a.mul_(y)
    return (a + x,)

def case1(x: "f32[4, 6]", y: "f32[4, 6]"):
    # an input is updated, its old value is used before
    b = x.sin()
    x.mul_(y)
    return (b * x,)

def case2(x: "f32[4, 6]", y: "f32[6]"):
    # through one row
    a = x.clone()
    a[1].add_(y)
    return (a * a,)

def case3(x: "f32[4, 6]", y: "f32[4]"):
    # through one column
    a = x.clone()
    a[:, 2].mul_(y)
    return (a.exp(),)

def case4(x: "f32[4, 6]", y: "f32[6, 4]"):
    # through the transpose
    a = x * 1
    a.t().add_(y)
    return (a * x,)

def case5(x: "f32[4, 6]", y: "f32[24]"):
    # through a flat view
    a = x * 3
    v = a.view(-1)
    v.mul_(y)
    return (a, v.sum())

def case6(x: "f32[4, 6]", y: "f32[2, 3]"):
    # a view of a view of a view
    a = x.clone()
    v = a.t()[1:4].t()[::2]
    v.mul_(y)
    return (a.sin(),)

def case7(x: "f32[4, 6]", y: "f32[4, 6]"):
    # two views that overlap, the second is read after the first is changed
    a = x.clone()
    u = a[:3]
    v = a[1:]
    u.mul_(y[:3])
    return (v * v, u)

def case8(x: "f32[4, 6]", y: "f32[4, 6]"):
    # both overlapping views are changed
    a = x.clone()
    u = a[:3]
    v = a[1:]
    u.mul_(y[:3])
    v.add_(y[1:])
    u.mul_(2)
    return (a,)

def case9(x: "f32[4, 6]", y: "f32[4, 6]"):
    # what was read before the change keeps its value
    a = x.clone()
    b = a + 1
    a.mul_(y)
    return (a * b,)

def case10(x: "f32[4, 6]", y: "f32[4, 6]"):
    # setitem with a slice
    a = x * y
    a[1:3] = y[1:3]
    return (a * a,)

def case11(x: "f32[4, 6]", y: "f32[4, 6]"):
    # setitem with a number: no gradient flows where it wrote
    a = x * y
    a[:, ::2] = 0.5
    return (a * y,)

def case12(x: "f32[4, 6]", y: "f32[6]"):
    # setitem that broadcasts: the gradient of what is written is summed
    a = x.clone()
    a[1:] = y
    return (a.exp(),)

def case13(x: "f32[4, 6]", y: "f32[4, 6]", m: "b8[4, 6]"):
    # setitem with a mask
    a = x * y
    a[m] = 2.0
    return (a * a,)

def case14(x: "f32[4, 6]", y: "f32[2, 6]", i: "i64[2]"):
    # index_put_ with rows
    a = x.clone()
    a.index_put_((i,), y)
    return (a.sin(),)

def case15(x: "f32[4, 6]", y: "f32[3, 6]", i: "i64[3]"):
    # index_put_ that accumulates: a row is hit twice
    a = x.clone()
    a.index_put_((i,), y, accumulate=True)
    return (a * a,)

def case16(x: "f32[4, 6]", y: "f32[2, 6]", i: "i64[2]"):
    # index_add_
    a = x.clone()
    a.index_add_(0, i, y)
    return (a * a,)

def case17(x: "f32[4, 6]", y: "f32[2, 6]", i: "i64[2]"):
    # index_copy_
    a = x.sin()
    a.index_copy_(0, i, y)
    return (a * a,)

def case18(x: "f32[4, 6]", i: "i64[2]"):
    # index_fill_
    a = x.sin()
    a.index_fill_(0, i, 3.0)
    return (a * a,)

def case19(x: "f32[4, 6]", y: "f32[4, 2]", i: "i64[4, 2]"):
    # scatter_
    a = x * 2
    a.scatter_(1, i, y)
    return (a * a,)

def case20(x: "f32[4, 6]", y: "f32[4, 2]", i: "i64[4, 2]"):
    # scatter_add_
    a = x * 2
    a.scatter_add_(1, i, y)
    return (a * a,)

def case21(x: "f32[4, 6]", m: "b8[4, 6]"):
    # masked_fill_
    a = x * x
    a.masked_fill_(m, -1.0)
    return (a * x,)

def case22(x: "f32[4, 6]", y: "f32[24]", m: "b8[4, 6]"):
    # masked_scatter_
    a = x * x
    a.masked_scatter_(m, y)
    return (a * a,)

def case23(x: "f32[4, 6]", y: "f32[4, 6]"):
    # copy_ replaces the whole: nothing flows to what was there
    a = x * 2
    a.copy_(y)
    return (a * a + x,)

def case24(x: "f32[4, 6]", y: "f32[6]"):
    # copy_ that broadcasts
    a = x * 2
    a.copy_(y)
    return (a * a + x,)

def case25(x: "bf16[4, 6]", y: "f32[4, 6]"):
    # copy_ between dtypes
    a = x * 2
    a.copy_(y)
    return (a * a + x,)

def case26(x: "f32[4, 6]", y: "f32[4, 6]"):
    # an input is overwritten by another
    x.copy_(y * 2)
    return (x * y,)

def case27(x: "f32[4, 6]", y: "f32[4, 6]"):
    # zero_ of a row of an input
    b = x * y
    x[2].zero_()
    return (b + x,)

def case28(x: "f32[4, 6]", y: "f32[4, 6]"):
    # an update of a detached copy does not touch the graph
    a = x * y
    d = a.detach().clone()
    d.mul_(3)
    return (a * d,)

def case29(x: "f32[4, 6]", y: "f32[4, 6]"):
    # relu_ and its result
    a = x * y
    a.relu_()
    return (a * x,)

def case30(x: "f32[4, 6]", y: "f32[4, 6]"):
    # operators whose gradient reads the result: exp_, sigmoid_, tanh_
    a = x * y
    a.exp_()
    b = (a * x).sigmoid_()
    return (b.tanh_() * y,)

def case31(x: "f32[4, 6]", y: "f32[4, 6]"):
    # clamp_, then a view of it
    a = x * 2
    a.clamp_(-1, 1)
    return (a.t() * y.t(),)

def case32(x: "f32[4, 6]", y: "f32[4, 6]"):
    # squeeze_ and unsqueeze_ change the shape only
    a = x * y
    a.unsqueeze_(1)
    a.mul_(2)
    return (a.squeeze(1) * x,)

def case33(x: "f32[4, 6]", y: "f32[6, 4]"):
    # transpose_ changes the view, then the storage is changed through it
    a = x * 2
    b = a.view(4, 6)
    a.t_()
    a.mul_(y)
    return (b * x, a)

def case34(x: "f32[4, 6]", y: "f32[4, 6]"):
    # chunk: one part is changed, the other read
    a = x.clone()
    (u, v) = a.unsafe_chunk(2, 1)
    w = u * v
    return (w * y[:, :3],)

def case35(x: "f32[4, 6]", y: "f32[4, 6]"):
    # expand is read after the storage changed
    a = x[:, :1] * 2
    e = a.expand(4, 6)
    a.add_(y[:, :1])
    return (e * x,)

def case36(x: "f32[4, 6]", y: "f32[4, 6]"):
    # one tensor under two names
    a = x * 1
    b = a
    b.mul_(y)
    a.add_(b)
    return (a,)

def case37(x: "f32[4, 6]", y: "f32[4, 6]"):
    # diagonal
    a = x.clone()
    a.diagonal().mul_(y[:, 0])
    return (a * a,)

def case38(x: "f32[4, 6]", y: "f32[4, 6]"):
    # select and narrow of the same storage, changed by turns
    a = x.clone()
    s = a.select(1, 3)
    n = a.narrow(1, 2, 3)
    s.mul_(2)
    n.add_(y[:, :3])
    s.mul_(y[:, 5])
    return (a.sin(), n.sum())

def case39(x: "f32[4, 6]", y: "f32[4, 6]"):
    # addcmul_ and addcdiv_
    a = x * 1
    a.addcmul_(x, y, value=0.5)
    a.addcdiv_(x, y.abs() + 1, value=-2)
    return (a,)

def case40(x: "f32[4, 6]", y: "f32[6, 4]", z: "f32[4, 4]"):
    # addmm_ accumulates a product
    a = z * 1
    a.addmm_(x, y, beta=0.5, alpha=2)
    return (a * a,)

def case41(x: "f32[4, 6]", y: "f32[4, 6]"):
    # lerp_ with a weight that has a gradient
    a = x * 1
    a.lerp_(y, y.sigmoid())
    return (a,)

def case42(x: "f32[4, 6]", y: "f32[4, 6]"):
    # cumsum_ and pow_
    a = x.abs() + 0.5
    a.cumsum_(1)
    a.pow_(2)
    return (a * y,)

def case43(x: "f32[4, 6]", y: "f32[4, 6]"):
    # an update under a broadcast view of an input
    x[0].mul_(y[1])
    y.add_(x[0])
    return (x * y,)

def case44(x: "f32[3, 4, 5]", y: "f32[4, 5]"):
    # permute, then a row of the permuted
    a = x.clone()
    p = a.permute(2, 0, 1)
    p[1].mul_(y[:3, :4].t()[:3].reshape(3, 3)[:, :1])
    return (a.exp(),)

def case45(x: "f32[3, 4, 5]", y: "f32[12, 5]"):
    # flatten and unflatten
    a = x.clone()
    f = a.flatten(0, 1)
    f.mul_(y)
    u = f.unflatten(0, (3, 4))
    u[2].add_(1)
    return (a * x,)

def case46(x: "f32[4, 6]", y: "f32[4, 6]"):
    # += and *= on a slice
    a = x * y
    a[1:3] += y[1:3] * 2
    a[:, 0] *= 3
    return (a * x,)

def case47(x: "f32[2, 3, 4]", w: "f32[3]", b: "f32[3]", mean: "f32[3]", var: "f32[3]"):
    # batch norm in training: running statistics are inputs that change
    r = torch.nn.functional.batch_norm(x, mean, var, w, b, True, 0.1, 1e-05)
    return (r * r,)

def case48(x: "f32[4, 6]", y: "f32[4, 6]"):
    # an in-place where: the same storage on both sides
    a = x * y
    a.copy_(torch.where(a > 0, a, a * 0.1))
    return (a + x,)

def case49(x: "f32[4, 6]", y: "f32[4, 6]"):
    # fill_diagonal_ and tril_
    a = x * y
    a.fill_diagonal_(2.0)
    a.tril_()
    return (a * a,)

def case50(x: "f32[4, 1, 6]", y: "f32[4, 6]"):
    # an input changed through a view: the backward part must not compute from the view again
    x.squeeze().abs_()
    return (x * y.unsqueeze(1),)

def case51(x: "f32[4, 6]", y: "f32[4, 6]"):
    # tanh_ of a part of an input, whose former contents a gradient needs
    h = torch.sin(x[1:3])
    x[:3].mul_(y[:3])
    return (h * h * x[1:3],)
