import torch
from math import inf, nan

def case0(x: "f32[4, 6]", y: "f32[4, 6]", z: "f32[6]"):
    x.mul_(0.5)
    y.mul_(0.5)
    y.add_(1.5)
    v4 = x + x
    v4.clamp_(-1, 1)
    v6 = x.view(-1)
    return (x + 0, v4 + 0, y + 0,)

def case15(x: "f32[4, 6]", y: "f32[4, 6]", z: "f32[6]"):
    v1 = x[:, 0]
    v2 = y.t()
    v3 = v2 + v2
    v4 = v3[:, 0]
    return (x + 0, v2 + 0, y + 0,)

def case30(x: "f32[4, 6]", y: "f32[4, 6]", z: "f32[6]"):
    v1 = torch.diagonal(x)
    x[0] = 3.0
    v1.add_(v1)
    v4 = x * 2 + 1
    v5 = v4[1:3]
    v6 = v4[1:3]
    return (v5 + 0, v1 + 0, v6 + 0,)

def case45(x: "f32[4, 6]", y: "f32[4, 6]", z: "f32[6]"):
    x.mul_(0.5)
    v2 = y.t()
    v3 = y[1:3]
    x.sub_(0.25)
    v5 = x[..., ::2]
    v5.add_(v5)
    x.add_(y)
    v8 = y * 2 + 1
    v9 = y + y
    return (y + 0, v3 + 0, v2 + 0,)

def case60(x: "f32[4, 6]", y: "f32[4, 6]", z: "f32[6]"):
    y[0] = 3.0
    v2 = x * 2 + 1
    x += 1
    v4 = v2[1:3]
    v5 = v4 * 2 + 1
    v4.add_(1.5)
    v7 = torch.diagonal(x)
    return (v5 + 0, x + 0, v4 + 0,)

def case75(x: "f32[4, 6]", y: "f32[4, 6]", z: "f32[6]"):
    v1 = y[1:3]
    v1.clamp_(-1, 1)
    x[0] = 3.0
    v4 = y.unsqueeze(0).squeeze(0)
    v5 = v4 * 2 + 1
    v6 = v5 * 2 + 1
    v7 = v1 * 2 + 1
    v7.fill_(0.75)
    v9 = v1[..., ::2]
    return (x + 0, v1 + 0, v9 + 0,)

def case90(x: "f32[4, 6]", y: "f32[4, 6]", z: "f32[6]"):
    v1 = y * 2 + 1
    v2 = y + v1
    v1.add_(v1)
    v4 = x + x
    v5 = y * 2 + 1
    v6 = x * 2 + 1
    v7 = y * 2 + 1
    v8 = v5 * 2 + 1
    return (y + 0, v6 + 0, v5 + 0,)

def case105(x: "f32[4, 6]", y: "f32[4, 6]", z: "f32[6]"):
    v1 = y.unsqueeze(0).squeeze(0)
    v2 = x + x
    y.add_(z[0])
    v4 = x * 2 + 1
    v1.add_(v1)
    v7 = v1[1:3]
    v8 = torch.diagonal(y)
    y.add_(v4)
    return (v7 + 0, x + 0, y + 0,)

def case120(x: "f32[4, 6]", y: "f32[4, 6]", z: "f32[6]"):
    y.exp_().clamp_(max=3)
    v2 = torch.diagonal(x)
    v3 = y * 2 + 1
    v3.masked_fill_(v3 > 1, -1.0)
    v3.exp_().clamp_(max=3)
    v6 = y * 2 + 1
    v3[0] = 3.0
    return (v3 + 0, v6 + 0, x + 0,)

def case135(x: "f32[4, 6]", y: "f32[4, 6]", z: "f32[6]"):
    v1 = x.view(-1)
    x.add_(y)
    v1.clamp_(-1, 1)
    v1.exp_().clamp_(max=3)
    v5 = y.unsqueeze(0).squeeze(0)
    v6 = v5[:, 0]
    v1.clamp_(-1, 1)
    x.add_(y)
    return (x + 0, v6 + 0, v1 + 0,)

def case150(x: "f32[4, 6]", y: "f32[4, 6]", z: "f32[6]"):
    x.mul_(0.5)
    v2 = x.view(-1)
    v2.add_(z[0])
    v4 = x[1:3]
    x.clamp_(-1, 1)
    v6 = x * 2 + 1
    v6.clamp_(-1, 1)
    return (y + 0, x + 0, v4 + 0,)

def case165(x: "f32[4, 6]", y: "f32[4, 6]", z: "f32[6]"):
    v1 = y * 2 + 1
    v2 = x + y
    v3 = x.view(-1)
    v2.masked_fill_(v2 > 1, -1.0)
    v1.add_(z[0])
    v6 = torch.diagonal(v1)
    return (v2 + 0, v1 + 0, x + 0,)

def case180(x: "f32[4, 6]", y: "f32[4, 6]", z: "f32[6]"):
    v1 = x.t()
    v1.add_(1.5)
    v3 = v1 + v1
    v4 = v3 + v1
    y += 1
    return (v1 + 0, v4 + 0, x + 0,)

def case195(x: "f32[4, 6]", y: "f32[4, 6]", z: "f32[6]"):
    v1 = x * 2 + 1
    v2 = x + v1
    v3 = x[..., ::2]
    x.add_(x)
    v3.relu_()
    x.copy_(x * 2 - 1)
    v7 = x.t()
    v1.exp_().clamp_(max=3)
    v2.add_(z[0])
    return (x + 0, v1 + 0, y + 0,)

def case210(x: "f32[4, 6]", y: "f32[4, 6]", z: "f32[6]"):
    v1 = x[..., ::2]
    v2 = y * 2 + 1
    v3 = v1.t()
    v3.add_(v3)
    v5 = v1 * 2 + 1
    v3.mul_(0.5)
    return (v1 + 0, y + 0, v2 + 0,)

def case225(x: "f32[4, 6]", y: "f32[4, 6]", z: "f32[6]"):
    v1 = y * 2 + 1
    y.add_(x)
    x.add_(y)
    v4 = v1 * 2 + 1
    v5 = x * 2 + 1
    v6 = torch.diagonal(v1)
    v7 = x.view(-1)
    v8 = v5.t()
    return (y + 0, v5 + 0, v8 + 0,)

def case240(x: "f32[4, 6]", y: "f32[4, 6]", z: "f32[6]"):
    y.add_(x)
    v2 = x[:, 0]
    x.exp_().clamp_(max=3)
    v4 = y * 2 + 1
    y.relu_()
    return (y + 0, x + 0, v2 + 0,)

def case255(x: "f32[4, 6]", y: "f32[4, 6]", z: "f32[6]"):
    v1 = y[1:3]
    y.add_(x)
    v3 = y[0]
    v4 = y[1:3]
    v5 = torch.diagonal(v4)
    v3.add_(1.5)
    v4.add_(v1)
    v8 = v3 * 2 + 1
    return (v3 + 0, v8 + 0, y + 0,)

def case270(x: "f32[4, 6]", y: "f32[4, 6]", z: "f32[6]"):
    y.mul_(0.5)
    v2 = y + y
    v2.copy_(v2 * 2 - 1)
    v4 = y.t()
    return (v2 + 0, v4 + 0, x + 0,)

def case285(x: "f32[4, 6]", y: "f32[4, 6]", z: "f32[6]"):
    y.sub_(0.25)
    x.add_(y)
    y.zero_()
    v4 = y * 2 + 1
    return (v4 + 0, x + 0, y + 0,)

