# Programs of record_random.py that found something, made small; recorded by record.py.
import torch
from math import inf, nan

def case1(a: "f64[2, 33, 5]", w: "f64[5, 16]"):
    # a selection in f64 inside of a kernel was of the condition's type on a GPU
    t = (a @ w) * 0.447
    return (torch.nn.functional.pad(t, (1, 2)),)

def case2(a: "f32[17, 1]", k: "i64[17, 1]", c: "f64[17, 1]"):
    # the same in a scatter_add of one place
    t = torch.sub(a.double(), a, alpha=0.5)
    return (torch.scatter_add(t, -1, k * 0, c), t)

def case3(a: "f32[33, 3, 1]"):
    # nothing, padded
    t = torch.nn.functional.pad(torch.nn.functional.mish(a), (-1, 1))
    u = torch.nn.functional.pad(a[:, :0], (0, 0, 1, 2), value=0.5)
    return (t + 1, torch.arange(31, dtype=torch.float32) / (t * t + 1), u)

def case4(c: "f32[2, 8]", a: "f32[8]", b: "f32[2, 1]"):
    # what rows keep in an array was read behind all rows
    t = torch.tanh(a)
    return ((c * b).sum(0) * t, (c * t).sum(1))

def case5(a: "f32[1]"):
    # folds of numbers
    return (torch.zeros(1).std(0, correction=0) + a, torch.full((7,), 0.5).var(0) * a, torch.ones(3, 1).std(1, correction=0) - a)

def case6(a: "f32[1, 1, 5, 16]", q: "f32[1, 2, 33, 16]", c: "f32[1, 2, 1, 16]"):
    # repeat_interleave gives storage of its own
    v = a.repeat_interleave(2, 1)
    t = torch.nn.functional.scaled_dot_product_attention(q, v, v)
    v.addcmul_(c, c, value=0.1)
    return (t, v, a * 1)

def case7(a: "f32[2, 7, 2, 5]", b: "f32[1, 1]"):
    # repeat as well; the rest of the program writes into the input
    v = a.expand_as(a)
    t = a.repeat(1, 1, 1, 1)
    v.sigmoid_()
    t[t > 0.5] = 0.125
    v.div_(b * b + 1)
    return (v.view_as(a), t)

def case8(a: "f32[6, 5]"):
    # the gradient of every second element: padding between elements is no kernel's
    t = a * 2
    t.view(-1)[::2].add_(0.5)
    u = torch.atan2(t, t * t + 0.1)
    return (u, t * u.view(-1)[::2].sum())
