# As autocast_grad.py; here PyTorch rounds elsewhere. In case1 to case3 it casts a value as often as it is
# read, where pass cse shares one cast; from case4 on its kernels round what is not rounded here, or later.
import torch

def case1(x: "f32[4, 8]", w: "f32[8, 8]", t: "f32[4, 8]"):
    m = torch.amp.autocast_mode._enter_autocast('cpu', torch.bfloat16, True, None)
    y = x @ w
    a = torch.nn.functional.l1_loss(y, t)
    b = torch.nn.functional.smooth_l1_loss(y, t)
    c = torch.nn.functional.huber_loss(y, t)
    d = torch.nn.functional.kl_div(y, t * t)
    torch.amp.autocast_mode._exit_autocast(m)
    return a, b, c, d

def case2(x: "f32[4, 8]", w: "f32[8, 8]"):
    m = torch.amp.autocast_mode._enter_autocast('cpu', torch.bfloat16, True, None)
    y = x @ w
    p = torch.prod(y * 0.5, 1)
    t = torch.trace(y)
    s = y.float().cumsum(1)
    torch.amp.autocast_mode._exit_autocast(m)
    return p, t, s

def case3(x: "f32[4, 8]", w: "f32[8, 8]", v: "f32[8, 8]"):
    m = torch.amp.autocast_mode._enter_autocast('cpu', torch.bfloat16, True, None)
    h = torch.sin(x)
    y = h @ w
    z = h @ v
    torch.amp.autocast_mode._exit_autocast(m)
    return y, z

def case4(q: "f32[1, 2, 4, 8]", k: "f32[1, 2, 4, 8]", v: "f32[1, 2, 4, 8]"):
    m = torch.amp.autocast_mode._enter_autocast('cpu', torch.bfloat16, True, None)
    y = torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True)
    torch.amp.autocast_mode._exit_autocast(m)
    return (y,)

def case5(x: "f32[4, 8]", w: "f32[8, 8]", a: "f32[1]"):
    m = torch.amp.autocast_mode._enter_autocast('cpu', torch.bfloat16, True, None)
    y = torch.nn.functional.prelu(x @ w, a)
    z = torch.nn.functional.silu(y.float())
    torch.amp.autocast_mode._exit_autocast(m)
    return y, z

def case6(x: "f32[2, 4, 8]", qkv: "f32[24, 8]", o: "f32[8, 8]", g: "f32[8]", b: "f32[8]", up: "f32[16, 8]", down: "f32[8, 16]"):
    m = torch.amp.autocast_mode._enter_autocast('cpu', torch.bfloat16, True, None)
    n = torch.nn.functional.layer_norm(x, (8,), g, b)
    q, k, v = torch.nn.functional.linear(n, qkv).view(2, 4, 3, 2, 4).permute(2, 0, 3, 1, 4).unbind(0)
    a = torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True)
    h = x + torch.nn.functional.linear(a.transpose(1, 2).reshape(2, 4, 8), o)
    n = torch.nn.functional.layer_norm(h, (8,), g, b)
    y = h + torch.nn.functional.linear(torch.nn.functional.gelu(torch.nn.functional.linear(n, up)), down)
    torch.amp.autocast_mode._exit_autocast(m)
    return (y,)

def case7(x: "f32[4, 8]", w: "f32[8, 8]", g: "f32[8]", b: "f32[8]"):
    m = torch.amp.autocast_mode._enter_autocast('cpu', torch.bfloat16, True, None)
    y = torch.nn.functional.layer_norm(x @ w, (8,), g, b)
    torch.amp.autocast_mode._exit_autocast(m)
    return (y,)
