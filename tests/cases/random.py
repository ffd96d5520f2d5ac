import torch
from math import inf, nan

def case0(x: "f32[3, 8]", y: "f32[3, 8]", w: "f32[8, 5]", s: "f32[8]", i: "i64[4]"):
    v1 = torch.softmax(s, dim=0)
    v2 = torch.relu(v1)
    v3 = torch.sin(s)
    v4 = torch.relu(v1)
    v5 = torch.cat([s, s * 2], dim=-1)
    v6 = torch.mean(y, dim=1, keepdim=True)
    v7 = torch.sin(s)
    v8 = torch.softmax(v3, dim=0)
    v9 = torch.amin(v8, dim=0, keepdim=True)
    v10 = v6.transpose(0, 1)
    v11 = torch.relu(v7)
    v12 = torch.mean(y, dim=0, keepdim=True)
    v13 = torch.softmax(v1, dim=0)
    v14 = v6 - v11
    v15 = torch.clamp(v2, -1, 1)
    v16 = torch.exp(-torch.abs(v9))
    v17 = torch.cat([v15, v15 * 2], dim=-1)
    v20 = torch.cat([v8, v8 * 2], dim=-1)
    v21 = torch.softmax(v12, dim=0)
    return (v17, v20, v21,)

def case22(x: "f32[3, 8]", y: "f32[3, 8]", w: "f32[8, 5]", s: "f32[8]", i: "i64[4]"):
    v1 = torch.where(x > 0, x, -0.5)
    v2 = torch.sin(x)
    v3 = torch.softmax(y, dim=1)
    v4 = s * 0.5 + 1
    v5 = torch.where(y > 0, y, -0.5)
    v6 = x + x
    v7 = torch.nn.functional.layer_norm(v2, (8,), s, s)
    v8 = torch.mean(s, dim=0, keepdim=False)
    v9 = torch.sigmoid(s)
    v10 = y ** 2
    v11 = torch.sigmoid(v9)
    v12 = torch.round(v11 * 4)
    v13 = torch.exp(-torch.abs(y))
    v14 = torch.amax(v3, dim=0, keepdim=True)
    v15 = torch.nn.functional.layer_norm(v1, (8,), s, s)
    v16 = x * v8
    v17 = y ** 2
    v18 = v2 - v4
    v19 = torch.sum(v6, dim=0, keepdim=True)
    return (v17, v18, v19,)

def case45(x: "f32[3, 8]", y: "f32[3, 8]", w: "f32[8, 5]", s: "f32[8]", i: "i64[4]"):
    v1 = s ** 2
    v2 = torch.softmax(x, dim=1)
    v3 = torch.softmax(s, dim=0)
    v4 = torch.cat([v1, v1 * 2], dim=-1)
    v5 = torch.sin(v2)
    v6 = torch.round(v2 * 4)
    v7 = s - v2
    v8 = torch.relu(v4)
    v9 = torch.exp(-torch.abs(v6))
    v11 = v9 * x
    v12 = torch.cat([v4, v4 * 2], dim=-1)
    v13 = torch.cat([v1, v1 * 2], dim=-1)
    return (v11, v12, v13,)

def case67(x: "f32[3, 8]", y: "f32[3, 8]", w: "f32[8, 5]", s: "f32[8]", i: "i64[4]"):
    v1 = s * x
    v2 = x * y
    v3 = y - y
    v4 = v2 - y
    v5 = x * y
    v6 = torch.amax(v4, dim=0, keepdim=False)
    v7 = torch.cat([v6, v6 * 2], dim=-1)
    v8 = v4 - v3
    v9 = torch.amin(v7, dim=0, keepdim=True)
    v10 = v2 + x
    v11 = torch.softmax(v5, dim=0)
    v12 = torch.amax(v3, dim=0, keepdim=True)
    v13 = v9 * v8
    v14 = torch.relu(x)
    v15 = torch.cat([v6, v6 * 2], dim=-1)
    v16 = torch.softmax(s, dim=0)
    v17 = v13.transpose(0, 1)
    v18 = torch.cat([v7, v7 * 2], dim=-1)
    v19 = torch.sin(v12)
    return (v17, v18, v19,)

def case90(x: "f32[3, 8]", y: "f32[3, 8]", w: "f32[8, 5]", s: "f32[8]", i: "i64[4]"):
    v1 = torch.softmax(x, dim=1)
    v2 = s - v1
    v3 = torch.exp(-torch.abs(v1))
    v4 = v3[:, 1:7]
    v5 = torch.cumsum(x, 0)
    v6 = torch.clamp(s, -1, 1)
    v7 = torch.sigmoid(x)
    v8 = v4.transpose(0, 1)
    v9 = x[i]
    v10 = torch.clamp(v8, -1, 1)
    v12 = v5 ** 2
    v13 = torch.relu(s)
    v14 = v5 @ w
    v15 = torch.cat([v8, v8 * 2], dim=-1)
    v16 = torch.where(s > 0, s, -0.5)
    v17 = v3.to(torch.bfloat16).to(torch.float32)
    v18 = v2 * 0.5 + 1
    v19 = torch.softmax(v18, dim=0)
    v20 = v3[:, 1:7]
    v21 = v17 @ w
    return (v19, v20, v21,)

def case112(x: "f32[3, 8]", y: "f32[3, 8]", w: "f32[8, 5]", s: "f32[8]", i: "i64[4]"):
    v1 = torch.softmax(s, dim=0)
    v2 = x[:, 1:7]
    v3 = torch.amax(v1, dim=0, keepdim=True)
    v4 = torch.softmax(y, dim=1)
    v5 = v1 * y
    v6 = v5 + x
    v7 = torch.cat([v1, v1 * 2], dim=-1)
    v8 = v2 + v2
    v9 = y - v3
    v10 = y * s
    v11 = torch.cat([v3, v3 * 2], dim=-1)
    v12 = s ** 2
    v13 = v8 * 0.5 + 1
    v14 = torch.amin(y, dim=1, keepdim=True)
    v15 = torch.where(x > 0, x, -0.5)
    v16 = torch.amax(v2, dim=0, keepdim=False)
    v17 = torch.cumsum(v1, 0)
    return (v15, v16, v17,)

def case135(x: "f32[3, 8]", y: "f32[3, 8]", w: "f32[8, 5]", s: "f32[8]", i: "i64[4]"):
    v1 = torch.cat([s, s * 2], dim=-1)
    v2 = torch.sum(x, dim=1, keepdim=True)
    v3 = v2 - y
    v4 = torch.cumsum(x, 0)
    v5 = torch.mean(v1, dim=0, keepdim=True)
    v6 = torch.sqrt(torch.abs(v4) + 1)
    v7 = torch.cat([v2, v2 * 2], dim=-1)
    v8 = s - x
    v9 = v2 ** 2
    v10 = torch.tanh(s)
    v11 = torch.sqrt(torch.abs(v7) + 1)
    v12 = torch.round(v7 * 4)
    v13 = v4 ** 2
    return (v11, v12, v13,)

def case157(x: "f32[3, 8]", y: "f32[3, 8]", w: "f32[8, 5]", s: "f32[8]", i: "i64[4]"):
    v1 = torch.sqrt(torch.abs(x) + 1)
    v2 = torch.nn.functional.gelu(v1)
    v3 = x[i]
    v4 = torch.softmax(v1, dim=1)
    v5 = torch.nn.functional.gelu(x)
    v6 = v5[:, 1:7]
    v7 = torch.neg(v4)
    v8 = x.to(torch.bfloat16).to(torch.float32)
    v9 = torch.sin(v1)
    v10 = torch.tanh(v1)
    v11 = y @ w
    v13 = torch.sigmoid(v10)
    v14 = torch.sqrt(torch.abs(v8) + 1)
    v15 = v4 - x
    v16 = v7 - v9
    v17 = torch.where(v10 > 0, v10, -0.5)
    v18 = torch.cat([s, s * 2], dim=-1)
    v19 = s * 0.5 + 1
    return (v17, v18, v19,)

def case180(x: "f32[3, 8]", y: "f32[3, 8]", w: "f32[8, 5]", s: "f32[8]", i: "i64[4]"):
    v1 = torch.softmax(s, dim=0)
    v2 = torch.neg(s)
    v3 = torch.relu(y)
    v4 = torch.clamp(v2, -1, 1)
    v5 = torch.sqrt(torch.abs(v4) + 1)
    v6 = torch.nn.functional.gelu(s)
    v7 = torch.round(v4 * 4)
    v8 = v4 - v5
    v9 = torch.sin(v8)
    v10 = v1 - v3
    v11 = torch.sigmoid(v2)
    v12 = x @ w
    v13 = v12 * 0.5 + 1
    v14 = v3 * 0.5 + 1
    v15 = torch.mean(v7, dim=0, keepdim=True)
    v16 = torch.where(v9 > 0, v9, -0.5)
    v17 = s.to(torch.bfloat16).to(torch.float32)
    return (v15, v16, v17,)

def case202(x: "f32[3, 8]", y: "f32[3, 8]", w: "f32[8, 5]", s: "f32[8]", i: "i64[4]"):
    v1 = x ** 2
    v2 = torch.tanh(v1)
    v3 = torch.neg(y)
    v4 = torch.amax(v2, dim=0, keepdim=False)
    v5 = v2 - v2
    v6 = torch.sqrt(torch.abs(v4) + 1)
    v7 = torch.sqrt(torch.abs(v1) + 1)
    v8 = v3 + v4
    v9 = torch.tanh(v8)
    return (v7, v8, v9,)

def case225(x: "f32[3, 8]", y: "f32[3, 8]", w: "f32[8, 5]", s: "f32[8]", i: "i64[4]"):
    v1 = torch.where(x > 0, x, -0.5)
    v2 = torch.mean(s, dim=0, keepdim=True)
    v3 = torch.sin(v1)
    v4 = torch.neg(v2)
    v5 = torch.sum(v4, dim=0, keepdim=True)
    v6 = torch.sqrt(torch.abs(x) + 1)
    v7 = torch.nn.functional.gelu(v1)
    v8 = torch.softmax(v5, dim=0)
    v9 = torch.where(v6 > 0, v6, -0.5)
    v10 = torch.cat([v6, v6 * 2], dim=-1)
    v11 = torch.clamp(v3, -1, 1)
    return (v9, v10, v11,)

def case247(x: "f32[3, 8]", y: "f32[3, 8]", w: "f32[8, 5]", s: "f32[8]", i: "i64[4]"):
    v1 = x - s
    v2 = v1 + y
    v3 = v2 * 0.5 + 1
    v4 = torch.cat([s, s * 2], dim=-1)
    v5 = torch.softmax(y, dim=0)
    v6 = torch.round(s * 4)
    v7 = torch.sum(v1, dim=0, keepdim=False)
    v8 = v6 - v3
    v9 = torch.softmax(v2, dim=1)
    v10 = torch.amax(y, dim=1, keepdim=False)
    v11 = torch.where(v10 > 0, v10, -0.5)
    v12 = torch.round(v5 * 4)
    v13 = torch.mean(v7, dim=0, keepdim=False)
    v14 = torch.neg(s)
    return (v12, v13, v14,)

def case270(x: "f32[3, 8]", y: "f32[3, 8]", w: "f32[8, 5]", s: "f32[8]", i: "i64[4]"):
    v1 = y - s
    v2 = y[i]
    v3 = v1 ** 2
    v4 = torch.relu(s)
    v5 = torch.sqrt(torch.abs(v1) + 1)
    v6 = s * 0.5 + 1
    v7 = torch.where(v4 > 0, v4, -0.5)
    return (v5, v6, v7,)

def case292(x: "f32[3, 8]", y: "f32[3, 8]", w: "f32[8, 5]", s: "f32[8]", i: "i64[4]"):
    v1 = s * s
    v2 = torch.cat([v1, v1 * 2], dim=-1)
    v3 = torch.cat([s, s * 2], dim=-1)
    v4 = torch.where(s > 0, s, -0.5)
    v5 = torch.tanh(v2)
    v6 = v4 * 0.5 + 1
    v7 = torch.cat([v2, v2 * 2], dim=-1)
    v8 = torch.softmax(v5, dim=0)
    v9 = torch.neg(v7)
    v10 = torch.cumsum(v6, 0)
    v12 = torch.where(y > 0, y, -0.5)
    v13 = torch.cat([v2, v2 * 2], dim=-1)
    v14 = torch.cat([s, s * 2], dim=-1)
    v15 = torch.softmax(v6, dim=0)
    return (v13, v14, v15,)

def case315(x: "f32[3, 8]", y: "f32[3, 8]", w: "f32[8, 5]", s: "f32[8]", i: "i64[4]"):
    v1 = torch.cumsum(s, 0)
    v2 = torch.cat([x, x * 2], dim=-1)
    v3 = torch.where(y > 0, y, -0.5)
    v4 = torch.exp(-torch.abs(v3))
    v5 = torch.cat([v1, v1 * 2], dim=-1)
    v6 = v1 - v1
    v7 = v2.to(torch.bfloat16).to(torch.float32)
    v8 = v3[i]
    v9 = torch.cat([v6, v6 * 2], dim=-1)
    v10 = v3[:, 1:7]
    v11 = torch.sqrt(torch.abs(v5) + 1)
    v12 = torch.sqrt(torch.abs(v1) + 1)
    v13 = torch.sqrt(torch.abs(v5) + 1)
    v14 = torch.sigmoid(v9)
    v15 = torch.mean(y, dim=0, keepdim=False)
    return (v13, v14, v15,)

def case337(x: "f32[3, 8]", y: "f32[3, 8]", w: "f32[8, 5]", s: "f32[8]", i: "i64[4]"):
    v1 = x - x
    v2 = torch.nn.functional.gelu(x)
    v3 = torch.round(y * 4)
    v4 = x @ w
    v5 = x * x
    v6 = v2 - v5
    v7 = torch.relu(v6)
    v8 = v5 - v6
    v9 = torch.sin(v4)
    v10 = torch.tanh(v6)
    v11 = v4.to(torch.bfloat16).to(torch.float32)
    v13 = torch.round(s * 4)
    v14 = torch.softmax(v1, dim=0)
    v15 = v14 @ w
    v16 = torch.sin(v14)
    v17 = v10 @ w
    v18 = v4.to(torch.bfloat16).to(torch.float32)
    return (v16, v17, v18,)

def case360(x: "f32[3, 8]", y: "f32[3, 8]", w: "f32[8, 5]", s: "f32[8]", i: "i64[4]"):
    v1 = torch.nn.functional.gelu(x)
    v2 = torch.nn.functional.gelu(x)
    v3 = torch.softmax(v1, dim=0)
    v4 = y * 0.5 + 1
    v5 = v1 + v1
    v6 = torch.softmax(v4, dim=1)
    v7 = v3 + s
    v8 = v1[:, 1:7]
    v9 = v4 * 0.5 + 1
    v10 = torch.softmax(v9, dim=0)
    v11 = torch.nn.functional.gelu(v8)
    v12 = v7 + v3
    v13 = torch.mean(v2, dim=0, keepdim=True)
    v14 = v6 + v1
    v15 = torch.mean(v1, dim=1, keepdim=True)
    v16 = torch.softmax(v13, dim=1)
    v17 = torch.softmax(v11, dim=1)
    return (v15, v16, v17,)

def case382(x: "f32[3, 8]", y: "f32[3, 8]", w: "f32[8, 5]", s: "f32[8]", i: "i64[4]"):
    v1 = x * 0.5 + 1
    v2 = torch.nn.functional.gelu(s)
    v3 = torch.nn.functional.layer_norm(x, (8,), s, s)
    v4 = torch.nn.functional.gelu(v3)
    v5 = torch.amax(v2, dim=0, keepdim=True)
    v6 = v1 + v5
    v7 = torch.sum(v5, dim=0, keepdim=True)
    v8 = v5 + v6
    v9 = torch.round(v7 * 4)
    v10 = v9 + y
    v11 = torch.sqrt(torch.abs(v6) + 1)
    v12 = torch.amax(v2, dim=0, keepdim=True)
    v13 = torch.cat([v11, v11 * 2], dim=-1)
    v14 = torch.mean(v3, dim=0, keepdim=True)
    return (v12, v13, v14,)

def case405(x: "f32[3, 8]", y: "f32[3, 8]", w: "f32[8, 5]", s: "f32[8]", i: "i64[4]"):
    v1 = x.to(torch.bfloat16).to(torch.float32)
    v2 = torch.mean(s, dim=0, keepdim=True)
    v3 = torch.amax(v1, dim=0, keepdim=False)
    v4 = torch.neg(s)
    v5 = torch.sum(v2, dim=0, keepdim=False)
    v6 = y @ w
    v7 = torch.nn.functional.gelu(v4)
    v8 = v4 + v5
    v9 = torch.cat([v3, v3 * 2], dim=-1)
    v10 = x[i]
    v11 = torch.nn.functional.gelu(v7)
    v12 = v10 * v5
    v13 = v9 ** 2
    return (v11, v12, v13,)

def case427(x: "f32[3, 8]", y: "f32[3, 8]", w: "f32[8, 5]", s: "f32[8]", i: "i64[4]"):
    v1 = torch.tanh(y)
    v2 = v1 @ w
    v3 = torch.nn.functional.gelu(s)
    v4 = y + x
    v5 = torch.amax(s, dim=0, keepdim=False)
    v6 = torch.softmax(y, dim=1)
    v7 = v1 ** 2
    v8 = v7 + v4
    v9 = torch.neg(v3)
    v10 = torch.sigmoid(v6)
    return (v8, v9, v10,)

