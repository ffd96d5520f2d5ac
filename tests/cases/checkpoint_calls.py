# torch.utils.checkpoint on functions of the same file (tests/record.py).
import torch
from torch.utils.checkpoint import checkpoint

def mlp(x, up, down):
    return torch.nn.functional.linear(torch.nn.functional.gelu(torch.nn.functional.linear(x, up) * 0.25), down) * 0.25

def pair(x, w):
    h = torch.tanh(x @ w * 0.25)
    return h, torch.sigmoid(h)

def outer(x, up, down, w):
    y = torch.utils.checkpoint.checkpoint(mlp, x, up, down, use_reentrant=False)
    h, s = pair(y, w)
    return h * s

# two regions, one behind the other
def case1(x: "f32[8, 16]", up: "f32[32, 16]", down: "f32[16, 32]", o: "f32[4, 16]"):
    h = checkpoint(mlp, x, up, down, use_reentrant=False)
    h = checkpoint(mlp, h, up, down, use_reentrant=False)
    return (torch.nn.functional.linear(h, o),)

# several results
def case2(x: "f32[8, 16]", w: "f32[16, 16]"):
    h, s = torch.utils.checkpoint.checkpoint(pair, x, w, use_reentrant=False)
    return (h * torch.exp(s),)

# a region inside of another one, and a function that is called as it is
def case3(x: "f32[8, 16]", up: "f32[32, 16]", down: "f32[16, 32]", w: "f32[16, 16]"):
    y = checkpoint(outer, x, up, down, w, use_reentrant=False, preserve_rng_state=True)
    return (mlp(y, up, down),)
