import torch

def linear_loss(x: "f32[4, 8]", w: "f32[8, 8]", b: "f32[8]", t: "i64[4]"):
    _enter_autocast = torch.amp.autocast_mode._enter_autocast('cpu', torch.bfloat16, True, None)
    y = torch.nn.functional.linear(x, w, b)
    loss = torch.nn.functional.cross_entropy(y, t)
    _exit_autocast = torch.amp.autocast_mode._exit_autocast(_enter_autocast);  _enter_autocast = None
    return y, loss

def block(x: "f32[2, 4, 8]", w: "f32[24, 8]"):
    _enter_autocast = torch.amp.autocast_mode._enter_autocast('cpu', torch.bfloat16, True, None)
    n = torch.nn.functional.layer_norm(x, (8,))
    qkv = torch.nn.functional.linear(n, w)
    q, k, v = qkv.split(8, dim=2)
    a = torch.nn.functional.scaled_dot_product_attention(q, k, v)
    _exit_autocast = torch.amp.autocast_mode._exit_autocast(_enter_autocast);  _enter_autocast = None
    return qkv, a

def products(x: "f32[4, 8]", y: "f32[8, 4]", b: "f32[4]", u: "f32[2, 4, 8]", v: "f32[2, 8, 4]"):
    _enter_autocast = torch.amp.autocast_mode._enter_autocast('cpu', torch.bfloat16, True, None)
    m = torch.mm(x, y)
    a = torch.addmm(b, x, y)
    c = torch.bmm(u, v)
    d = x @ y
    e = torch.einsum('ij,jk->ik', x, y)
    f = torch.baddbmm(c, u, v)
    _exit_autocast = torch.amp.autocast_mode._exit_autocast(_enter_autocast);  _enter_autocast = None
    return m, a, c, d, e, f

def not_on_the_cpu(x: "f32[4, 8]", w: "f32[8]", b: "f32[4]", u: "f32[3]"):
    _enter_autocast = torch.amp.autocast_mode._enter_autocast('cpu', torch.bfloat16, True, None)
    m = torch.mv(x, w)
    a = torch.addmv(b, x, w)
    r = torch.addr(x, b, w)
    d = torch.dot(w, w)
    e = torch.exp(x)
    s = torch.softmax(x, 1)
    _exit_autocast = torch.amp.autocast_mode._exit_autocast(_enter_autocast);  _enter_autocast = None
    return m, a, r, d, e, s

def wide(x: "f32[4, 8]", w: "f32[8, 8]"):
    _enter_autocast = torch.amp.autocast_mode._enter_autocast('cpu', torch.bfloat16, True, None)
    y = x @ w
    p = torch.prod(y, 1)
    t = torch.trace(y)
    l = torch.nn.functional.mse_loss(y, y * 0.5)
    h = torch.nn.functional.smooth_l1_loss(y, x)
    k = torch.nn.functional.kl_div(y, x * x)
    _exit_autocast = torch.amp.autocast_mode._exit_autocast(_enter_autocast);  _enter_autocast = None
    return y, p, t, l, h, k

def widest(x: "f32[4, 8]", w: "f32[8, 8]"):
    _enter_autocast = torch.amp.autocast_mode._enter_autocast('cpu', torch.bfloat16, True, None)
    y = x @ w
    c = torch.cat([x, y])
    s = torch.stack([y, y])
    z = torch.stack([y, x])
    _exit_autocast = torch.amp.autocast_mode._exit_autocast(_enter_autocast);  _enter_autocast = None
    return c, s, z

def convolutions(x: "f32[1, 2, 6, 6]", w: "f32[3, 2, 3, 3]", b: "f32[3]", t: "f32[3, 2, 2, 2]"):
    _enter_autocast = torch.amp.autocast_mode._enter_autocast('cpu', torch.bfloat16, True, None)
    y = torch.nn.functional.conv2d(x, w, b)
    r = torch.relu(y)
    z = torch.nn.functional.conv_transpose2d(r, t)
    p = torch.nn.functional.max_pool2d(z, 2)
    _exit_autocast = torch.amp.autocast_mode._exit_autocast(_enter_autocast);  _enter_autocast = None
    return y, z, p

def norms(x: "f32[4, 8]", w: "f32[8, 8]", g: "f32[8]"):
    _enter_autocast = torch.amp.autocast_mode._enter_autocast('cpu', torch.bfloat16, True, None)
    y = x @ w
    n = torch.nn.functional.layer_norm(y, (8,), g, g)
    r = torch.nn.functional.rms_norm(y, (8,), g)
    s = y.sum(1)
    m = y.mean()
    _exit_autocast = torch.amp.autocast_mode._exit_autocast(_enter_autocast);  _enter_autocast = None
    return n, r, s, m

def cells(x: "f32[2, 4]", h: "f32[2, 3]", wi: "f32[9, 4]", wh: "f32[9, 3]"):
    _enter_autocast = torch.amp.autocast_mode._enter_autocast('cpu', torch.bfloat16, True, None)
    y = torch.gru_cell(x, h, wi, wh)
    _exit_autocast = torch.amp.autocast_mode._exit_autocast(_enter_autocast);  _enter_autocast = None
    return y

def tensordots(x: "f32[4, 8]", y: "f32[8, 3]", v: "f32[4, 8]"):
    _enter_autocast = torch.amp.autocast_mode._enter_autocast('cpu', torch.bfloat16, True, None)
    a = torch.tensordot(x, y, 1)
    b = torch.linalg.multi_dot([x, y, y.T])
    c = torch.linalg.vecdot(x, v)
    _exit_autocast = torch.amp.autocast_mode._exit_autocast(_enter_autocast);  _enter_autocast = None
    return a, b, c

def half_inputs(x: "bf16[4, 8]", w: "f32[8, 8]"):
    _enter_autocast = torch.amp.autocast_mode._enter_autocast('cpu', torch.bfloat16, True, None)
    y = x @ w
    z = x + y
    l = torch.nn.functional.l1_loss(z, z * 2)
    _exit_autocast = torch.amp.autocast_mode._exit_autocast(_enter_autocast);  _enter_autocast = None
    return y, z, l

def doubles(x: "f64[4, 8]", w: "f64[8, 8]"):
    _enter_autocast = torch.amp.autocast_mode._enter_autocast('cpu', torch.bfloat16, True, None)
    y = x @ w
    _exit_autocast = torch.amp.autocast_mode._exit_autocast(_enter_autocast);  _enter_autocast = None
    return y

def disabled(x: "f32[4, 8]", w: "f32[8, 8]", b: "f32[8]", t: "i64[4]"):
    _enter_autocast = torch.amp.autocast_mode._enter_autocast('cpu', torch.bfloat16, False, None)
    y = torch.nn.functional.linear(x, w, b)
    loss = torch.nn.functional.cross_entropy(y, t)
    _exit_autocast = torch.amp.autocast_mode._exit_autocast(_enter_autocast);  _enter_autocast = None
    return y, loss
