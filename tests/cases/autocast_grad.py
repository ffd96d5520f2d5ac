# Programs under autocast on the CPU, with gradients (tests/record.py); regions as Dynamo writes them.
import torch

def case1(x: "f32[4, 8]", w: "f32[6, 8]", b: "f32[6]"):
    m = torch.amp.autocast_mode._enter_autocast('cpu', torch.bfloat16, True, None)
    y = torch.nn.functional.linear(x, w, b)
    torch.amp.autocast_mode._exit_autocast(m)
    return (y,)

def case2(x: "f32[4, 8]", w: "f32[8, 8]", v: "f32[8, 3]"):
    m = torch.amp.autocast_mode._enter_autocast('cpu', torch.bfloat16, True, None)
    y = torch.relu(x @ w) @ v
    torch.amp.autocast_mode._exit_autocast(m)
    return (y,)

# one weight twice: one cast, so its gradients are added in bf16

def case3(x: "f32[4, 8]", w: "f32[8, 8]"):
    m = torch.amp.autocast_mode._enter_autocast('cpu', torch.bfloat16, True, None)
    y = torch.mm(x, w)
    z = torch.mm(torch.tanh(y), w)
    torch.amp.autocast_mode._exit_autocast(m)
    return y, z

def case4(x: "f32[2, 3, 6, 6]", w: "f32[4, 3, 3, 3]", b: "f32[4]", v: "f32[2, 4, 3, 3]"):
    m = torch.amp.autocast_mode._enter_autocast('cpu', torch.bfloat16, True, None)
    y = torch.relu(torch.nn.functional.conv2d(x, w, b, padding=1))
    z = torch.nn.functional.conv2d(y, v, stride=2)
    torch.amp.autocast_mode._exit_autocast(m)
    return (z,)

def case5(x: "f32[4, 8]", w: "f32[8, 8]", g: "f32[8]", b: "f32[8]"):
    m = torch.amp.autocast_mode._enter_autocast('cpu', torch.bfloat16, True, None)
    n = torch.nn.functional.layer_norm(x, (8,), g, b)
    y = torch.nn.functional.linear(n, w)
    torch.amp.autocast_mode._exit_autocast(m)
    return (y,)

def case6(q: "f32[2, 4, 8]", k: "f32[2, 4, 8]", v: "f32[2, 4, 8]"):
    m = torch.amp.autocast_mode._enter_autocast('cpu', torch.bfloat16, True, None)
    s = torch.bmm(q, k.transpose(1, 2))
    p = torch.softmax(s.float() * 0.35, -1)
    y = torch.bmm(p, v)
    torch.amp.autocast_mode._exit_autocast(m)
    return (y,)

def case7(x: "f32[4, 8]", w: "f32[5, 8]", b: "f32[5]", t: "i64[4]"):
    m = torch.amp.autocast_mode._enter_autocast('cpu', torch.bfloat16, True, None)
    y = torch.nn.functional.linear(x, w, b)
    loss = torch.nn.functional.cross_entropy(y, t)
    torch.amp.autocast_mode._exit_autocast(m)
    return (loss,)

def case8(x: "f32[4, 8]", w: "f32[5, 8]", t: "f32[4, 5]"):
    m = torch.amp.autocast_mode._enter_autocast('cpu', torch.bfloat16, True, None)
    loss = torch.nn.functional.mse_loss(torch.nn.functional.linear(x, w), t)
    torch.amp.autocast_mode._exit_autocast(m)
    return (loss,)

# a region that is off inside of one that is on: products of f32 there

def case9(x: "f32[4, 8]", w: "f32[8, 8]", v: "f32[8, 8]"):
    m = torch.amp.autocast_mode._enter_autocast('cpu', torch.bfloat16, True, None)
    y = x @ w
    off = torch.amp.autocast_mode._enter_autocast('cpu', torch.bfloat16, False, None)
    z = y.float() @ v
    torch.amp.autocast_mode._exit_autocast(off)
    u = z @ w
    torch.amp.autocast_mode._exit_autocast(m)
    return z, u

# operators that stay in f32 in between

def case10(x: "f32[4, 8]", w: "f32[8, 8]", v: "f32[8, 8]"):
    m = torch.amp.autocast_mode._enter_autocast('cpu', torch.bfloat16, True, None)
    y = torch.exp(x * 0.1) @ w
    z = torch.nn.functional.gelu(y.float()) @ v
    torch.amp.autocast_mode._exit_autocast(m)
    return (z * 2.0 + x,)

def case11(x: "f32[4, 8]", w: "f32[5, 8]", t: "f32[4, 5]"):
    m = torch.amp.autocast_mode._enter_autocast('cpu', torch.bfloat16, True, None)
    y = torch.nn.functional.linear(x, w)
    loss = torch.nn.functional.binary_cross_entropy_with_logits(y, torch.sigmoid(t))
    torch.amp.autocast_mode._exit_autocast(m)
    return (loss,)

def product(x, w):
    return x @ w

def case12(x: "f32[4, 8]", w: "f32[8, 8]"):
    y = torch.ops.higher_order.wrap_with_autocast('cpu', torch.bfloat16, True, None, product, x, w)
    return y, y.float() + x

def case13(x: "f32[4, 8]", w: "f32[8, 8]"):
    m = torch.amp.autocast_mode._enter_autocast('cpu', torch.bfloat16, True, None)
    y = x @ w
    z = torch.ops.higher_order.wrap_with_autocast('cpu', None, False, None, product, x, w)
    torch.amp.autocast_mode._exit_autocast(m)
    return y, z

def case14(a: "f32[2, 4, 8]", b: "f32[2, 8, 4]", x: "f32[4, 8]", y: "f32[8, 4]", c: "f32[4]"):
    m = torch.amp.autocast_mode._enter_autocast('cpu', torch.bfloat16, True, None)
    p = torch.baddbmm(c, a, b)
    q = torch.addmm(c, x, y, beta=0.5)
    torch.amp.autocast_mode._exit_autocast(m)
    return p, q

# operands of several precisions: the widest

def case15(x: "f32[4, 8]", w: "f32[8, 8]"):
    m = torch.amp.autocast_mode._enter_autocast('cpu', torch.bfloat16, True, None)
    y = x @ w
    c = torch.cat([x, y])
    s = torch.stack([y, y * 2])
    torch.amp.autocast_mode._exit_autocast(m)
    return c, s

# tied weights: rows of a table, and a product with it

def case16(i: "i64[3]", e: "f32[4, 8]", w: "f32[8, 8]"):
    m = torch.amp.autocast_mode._enter_autocast('cpu', torch.bfloat16, True, None)
    x = torch.nn.functional.embedding(i, e)
    y = torch.nn.functional.linear(x @ w, e)
    torch.amp.autocast_mode._exit_autocast(m)
    return (y,)

def case17(x: "bf16[4, 8]", w: "bf16[8, 8]", v: "f32[8, 8]"):
    m = torch.amp.autocast_mode._enter_autocast('cpu', torch.bfloat16, True, None)
    y = (x @ w) @ v
    torch.amp.autocast_mode._exit_autocast(m)
    return (y,)

def case18(x: "f32[1, 3, 4]", w: "f32[3, 2, 3]", v: "f32[2, 2, 3]"):
    m = torch.amp.autocast_mode._enter_autocast('cpu', torch.bfloat16, True, None)
    y = torch.nn.functional.conv_transpose1d(x, w)
    z = torch.nn.functional.conv1d(y, v)
    torch.amp.autocast_mode._exit_autocast(m)
    return (z,)

# a value that is cast for two products: PyTorch casts it twice, it is no leaf

def case19(x: "f32[4, 8]", w: "f32[8, 8]", v: "f32[8, 8]"):
    m = torch.amp.autocast_mode._enter_autocast('cpu', torch.bfloat16, True, None)
    y = (x @ w).detach() @ v
    torch.amp.autocast_mode._exit_autocast(m)
    return (y,)

# a block of a transformer

# norms of what a product gives, with weights in f32

def case20(x: "f32[4, 8]", w: "f32[8, 8]"):
    m = torch.amp.autocast_mode._enter_autocast('cpu', torch.bfloat16, True, None)
    y = torch.softmax(x @ w, 1)
    s = y.sum(1)
    torch.amp.autocast_mode._exit_autocast(m)
    return y, s

# einsum stands in no list of the CPU: the product in it does, and takes operands that are no leaves

def case21(a: "f32[2, 4, 8]", b: "f32[2, 8, 4]"):
    m = torch.amp.autocast_mode._enter_autocast('cpu', torch.bfloat16, True, None)
    r = torch.einsum('bij,bjk->bik', a, b)
    torch.amp.autocast_mode._exit_autocast(m)
    return (r,)
