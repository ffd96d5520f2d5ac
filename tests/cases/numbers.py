import torch

def exact_bf16_half0(x: "bf16[48]"):
    y0 = x + 0.9
    y1 = 0.9 + x
    y2 = x - 0.9
    y3 = 0.9 - x
    y4 = torch.rsub(x, 0.9)
    y5 = x * 0.9
    y6 = x + torch.tensor(0.9)
    y7 = x - torch.tensor(0.9, dtype=torch.float64)
    return (y0, y1, y2, y3, y4, y5, y6, y7,)

def exact_bf16_half1(x: "bf16[48]"):
    y0 = x * torch.tensor(0.9)
    y1 = torch.addcmul(x, x.flip(0), x.roll(1), value=0.9)
    y2 = torch.nn.functional.leaky_relu(x, 0.9)
    y3 = torch.trunc(x - 0.9)
    y4 = torch.add(x, torch.round(x.flip(0)), alpha=0.9)
    y5 = torch.sub(x, torch.round(x.flip(0)), alpha=0.9)
    y6 = torch.rsub(torch.round(x), 0.9, alpha=-0.7)
    y7 = x == 0.9
    return (y0, y1, y2, y3, y4, y5, y6, y7,)

def exact_bf16_half2(x: "bf16[48]"):
    y0 = x != 0.9
    y1 = x < 0.9
    y2 = x <= 0.9
    y3 = x > 0.9
    y4 = x >= 0.9
    y5 = 0.9 < x
    y6 = x > torch.tensor(0.9)
    y7 = x >= torch.tensor(0.9, dtype=torch.float64)
    return (y0, y1, y2, y3, y4, y5, y6, y7,)

def exact_bf16_half3(x: "bf16[48]"):
    y0 = torch.clamp(x, -0.7, 0.9)
    y1 = torch.clamp(x, min=0.9)
    y2 = torch.clamp(x, -0.7, 0.9) == 0.9
    y3 = torch.clamp(x, -0.7, 0.9).to(torch.float64)
    y4 = torch.clamp(x, torch.tensor(-0.7), torch.tensor(0.9)).to(torch.float64)
    y5 = torch.where(x > 0, 0.9, x).to(torch.float64)
    y6 = torch.where(x > 0, 0.9, -0.7)
    y7 = torch.where(x > 0, x, torch.tensor(0.9)).to(torch.float32)
    return (y0, y1, y2, y3, y4, y5, y6, y7,)

def exact_bf16_half4(x: "bf16[48]"):
    y0 = torch.sum(x > 0.9)
    y1 = x.masked_fill(x > 0, 0.9).to(torch.float64)
    y2 = torch.full_like(x, 0.9).to(torch.float64)
    y3 = x.new_full((4,), 0.9).to(torch.float64)
    y4 = torch.nn.functional.hardtanh(x, -0.7, 0.9).to(torch.float64)
    y5 = torch.nn.functional.threshold(x, 0.9, -0.7).to(torch.float64)
    y6 = torch.nn.functional.hardshrink(x, 0.9)
    y7 = torch.nn.functional.softshrink(x, abs(0.9))
    return (y0, y1, y2, y3, y4, y5, y6, y7,)

def exact_bf16_half5(x: "bf16[48]"):
    y0 = torch.nn.functional.pad(x, (1, 2), value=0.9).to(torch.float64)
    y1 = torch.index_fill(x, 0, torch.tensor([1]), 0.9).to(torch.float64)
    y2 = torch.scatter(x, 0, torch.tensor([0, 2, 5]), 0.9).to(torch.float64)
    y3 = torch.maximum(x, torch.tensor(0.9)).to(torch.float64)
    y4 = torch.nan_to_num(x, 0.9, 0.9, -0.7).to(torch.float64)
    y5 = torch.copysign(x, 0.9)
    y6 = torch.threshold(torch.relu(x), 0.9, -0.7).to(torch.float64)
    y7 = torch.full((4,), 0.9, dtype=x.dtype).to(torch.float64)
    return (y0, y1, y2, y3, y4, y5, y6, y7,)

def exact_bf16_half6(x: "bf16[48]"):
    y0 = torch.scalar_tensor(0.9, dtype=x.dtype).to(torch.float64)
    y1 = torch.tensor([0.9, -0.7], dtype=x.dtype).to(torch.float64)
    y2 = torch.ops.aten.threshold_backward.default(x, x.roll(1), 0.9)
    y3 = torch.ops.aten.leaky_relu_backward.default(x, x.roll(1), 0.9, False)
    y4 = torch.fill(x, 0.9).to(torch.float64)
    return (y0, y1, y2, y3, y4,)

def near_bf16_half0(x: "bf16[48]"):
    y0 = x / 0.9
    y1 = x // 0.9
    y2 = x % 0.9
    y3 = 0.9 % x
    y4 = torch.fmod(x, 0.9)
    y5 = torch.fmod(x, torch.tensor(0.9))
    y6 = x % torch.tensor(0.9)
    y7 = torch.div(x, 0.9, rounding_mode='trunc')
    return (y0, y1, y2, y3, y4, y5, y6, y7,)

def near_bf16_half1(x: "bf16[48]"):
    y0 = torch.div(x, 0.9, rounding_mode='floor')
    y1 = x ** 0.9
    y2 = 0.9 ** x
    y3 = x ** torch.tensor(0.9)
    y4 = torch.xlogy(x, 0.9)
    y5 = torch.xlogy(0.9, x)
    y6 = torch.special.xlog1py(0.9, x)
    y7 = torch.nn.functional.elu(x, 0.9)
    return (y0, y1, y2, y3, y4, y5, y6, y7,)

def near_bf16_half2(x: "bf16[48]"):
    y0 = torch.nn.functional.celu(x, 0.9)
    y1 = torch.nn.functional.softplus(x, 0.9, -0.7)
    y2 = torch.atan2(x, torch.tensor(0.9))
    y3 = torch.hypot(x, torch.tensor(0.9))
    y4 = torch.linspace(-0.7, 0.9, 7, dtype=x.dtype).to(torch.float64)
    y5 = torch.arange(-0.7, 5.0, 0.9, dtype=x.dtype).to(torch.float64)
    y6 = torch.addcdiv(x, x.flip(0), x.roll(1), value=0.9)
    y7 = torch.index_add(x, 0, torch.tensor([0, 2, 5]), x[:3], alpha=0.9)
    return (y0, y1, y2, y3, y4, y5, y6, y7,)

def near_bf16_half3(x: "bf16[48]"):
    y0 = torch.exp(x * 0.9)
    y1 = torch.cumsum(x * 0.9, 0)
    return (y0, y1,)

def exact_f16_half0(x: "f16[48]"):
    y0 = x + 0.9
    y1 = 0.9 + x
    y2 = x - 0.9
    y3 = 0.9 - x
    y4 = torch.rsub(x, 0.9)
    y5 = x * 0.9
    y6 = x + torch.tensor(0.9)
    y7 = x - torch.tensor(0.9, dtype=torch.float64)
    return (y0, y1, y2, y3, y4, y5, y6, y7,)

def exact_f16_half1(x: "f16[48]"):
    y0 = x * torch.tensor(0.9)
    y1 = torch.addcmul(x, x.flip(0), x.roll(1), value=0.9)
    y2 = torch.nn.functional.leaky_relu(x, 0.9)
    y3 = torch.trunc(x - 0.9)
    y4 = torch.add(x, torch.round(x.flip(0)), alpha=0.9)
    y5 = torch.sub(x, torch.round(x.flip(0)), alpha=0.9)
    y6 = torch.rsub(torch.round(x), 0.9, alpha=-0.7)
    y7 = x == 0.9
    return (y0, y1, y2, y3, y4, y5, y6, y7,)

def exact_f16_half2(x: "f16[48]"):
    y0 = x != 0.9
    y1 = x < 0.9
    y2 = x <= 0.9
    y3 = x > 0.9
    y4 = x >= 0.9
    y5 = 0.9 < x
    y6 = x > torch.tensor(0.9)
    y7 = x >= torch.tensor(0.9, dtype=torch.float64)
    return (y0, y1, y2, y3, y4, y5, y6, y7,)

def exact_f16_half3(x: "f16[48]"):
    y0 = torch.clamp(x, -0.7, 0.9)
    y1 = torch.clamp(x, min=0.9)
    y2 = torch.clamp(x, -0.7, 0.9) == 0.9
    y3 = torch.clamp(x, -0.7, 0.9).to(torch.float64)
    y4 = torch.clamp(x, torch.tensor(-0.7), torch.tensor(0.9)).to(torch.float64)
    y5 = torch.where(x > 0, 0.9, x).to(torch.float64)
    y6 = torch.where(x > 0, 0.9, -0.7)
    y7 = torch.where(x > 0, x, torch.tensor(0.9)).to(torch.float32)
    return (y0, y1, y2, y3, y4, y5, y6, y7,)

def exact_f16_half4(x: "f16[48]"):
    y0 = torch.sum(x > 0.9)
    y1 = x.masked_fill(x > 0, 0.9).to(torch.float64)
    y2 = torch.full_like(x, 0.9).to(torch.float64)
    y3 = x.new_full((4,), 0.9).to(torch.float64)
    y4 = torch.nn.functional.hardtanh(x, -0.7, 0.9).to(torch.float64)
    y5 = torch.nn.functional.threshold(x, 0.9, -0.7).to(torch.float64)
    y6 = torch.nn.functional.hardshrink(x, 0.9)
    y7 = torch.nn.functional.softshrink(x, abs(0.9))
    return (y0, y1, y2, y3, y4, y5, y6, y7,)

def exact_f16_half5(x: "f16[48]"):
    y0 = torch.nn.functional.pad(x, (1, 2), value=0.9).to(torch.float64)
    y1 = torch.index_fill(x, 0, torch.tensor([1]), 0.9).to(torch.float64)
    y2 = torch.scatter(x, 0, torch.tensor([0, 2, 5]), 0.9).to(torch.float64)
    y3 = torch.maximum(x, torch.tensor(0.9)).to(torch.float64)
    y4 = torch.nan_to_num(x, 0.9, 0.9, -0.7).to(torch.float64)
    y5 = torch.copysign(x, 0.9)
    y6 = torch.threshold(torch.relu(x), 0.9, -0.7).to(torch.float64)
    y7 = torch.full((4,), 0.9, dtype=x.dtype).to(torch.float64)
    return (y0, y1, y2, y3, y4, y5, y6, y7,)

def exact_f16_half6(x: "f16[48]"):
    y0 = torch.scalar_tensor(0.9, dtype=x.dtype).to(torch.float64)
    y1 = torch.tensor([0.9, -0.7], dtype=x.dtype).to(torch.float64)
    y2 = torch.ops.aten.threshold_backward.default(x, x.roll(1), 0.9)
    y3 = torch.ops.aten.leaky_relu_backward.default(x, x.roll(1), 0.9, False)
    y4 = torch.fill(x, 0.9).to(torch.float64)
    return (y0, y1, y2, y3, y4,)

def near_f16_half0(x: "f16[48]"):
    y0 = x / 0.9
    y1 = x // 0.9
    y2 = x % 0.9
    y3 = 0.9 % x
    y4 = torch.fmod(x, 0.9)
    y5 = torch.fmod(x, torch.tensor(0.9))
    y6 = x % torch.tensor(0.9)
    y7 = torch.div(x, 0.9, rounding_mode='trunc')
    return (y0, y1, y2, y3, y4, y5, y6, y7,)

def near_f16_half1(x: "f16[48]"):
    y0 = torch.div(x, 0.9, rounding_mode='floor')
    y1 = x ** 0.9
    y2 = 0.9 ** x
    y3 = x ** torch.tensor(0.9)
    y4 = torch.xlogy(x, 0.9)
    y5 = torch.xlogy(0.9, x)
    y6 = torch.special.xlog1py(0.9, x)
    y7 = torch.nn.functional.elu(x, 0.9)
    return (y0, y1, y2, y3, y4, y5, y6, y7,)

def near_f16_half2(x: "f16[48]"):
    y0 = torch.nn.functional.celu(x, 0.9)
    y1 = torch.nn.functional.softplus(x, 0.9, -0.7)
    y2 = torch.atan2(x, torch.tensor(0.9))
    y3 = torch.hypot(x, torch.tensor(0.9))
    y4 = torch.linspace(-0.7, 0.9, 7, dtype=x.dtype).to(torch.float64)
    y5 = torch.arange(-0.7, 5.0, 0.9, dtype=x.dtype).to(torch.float64)
    y6 = torch.addcdiv(x, x.flip(0), x.roll(1), value=0.9)
    y7 = torch.index_add(x, 0, torch.tensor([0, 2, 5]), x[:3], alpha=0.9)
    return (y0, y1, y2, y3, y4, y5, y6, y7,)

def near_f16_half3(x: "f16[48]"):
    y0 = torch.exp(x * 0.9)
    y1 = torch.cumsum(x * 0.9, 0)
    return (y0, y1,)

def wide_f32_wide0(x: "f32[48]"):
    y0 = x == 0.9
    y1 = x != 0.9
    y2 = x < 0.9
    y3 = x <= 0.9
    y4 = x > 0.9
    y5 = x >= 0.9
    y6 = 0.9 < x
    y7 = x > torch.tensor(0.9)
    return (y0, y1, y2, y3, y4, y5, y6, y7,)

def wide_f32_wide1(x: "f32[48]"):
    y0 = x >= torch.tensor(0.9, dtype=torch.float64)
    y1 = torch.clamp(x, -0.7, 0.9)
    y2 = torch.clamp(x, min=0.9)
    y3 = torch.clamp(x, -0.7, 0.9) == 0.9
    y4 = torch.clamp(x, -0.7, 0.9).to(torch.float64)
    y5 = torch.clamp(x, torch.tensor(-0.7), torch.tensor(0.9)).to(torch.float64)
    y6 = torch.where(x > 0, 0.9, x).to(torch.float64)
    y7 = torch.where(x > 0, 0.9, -0.7)
    return (y0, y1, y2, y3, y4, y5, y6, y7,)

def wide_f32_wide2(x: "f32[48]"):
    y0 = torch.where(x > 0, x, torch.tensor(0.9)).to(torch.float32)
    y1 = torch.sum(x > 0.9)
    y2 = x.masked_fill(x > 0, 0.9).to(torch.float64)
    y3 = torch.full_like(x, 0.9).to(torch.float64)
    y4 = x.new_full((4,), 0.9).to(torch.float64)
    y5 = torch.nn.functional.hardtanh(x, -0.7, 0.9).to(torch.float64)
    y6 = torch.nn.functional.threshold(x, 0.9, -0.7).to(torch.float64)
    y7 = torch.nn.functional.hardshrink(x, 0.9)
    return (y0, y1, y2, y3, y4, y5, y6, y7,)

def wide_f32_wide3(x: "f32[48]"):
    y0 = torch.nn.functional.softshrink(x, abs(0.9))
    y1 = torch.nn.functional.pad(x, (1, 2), value=0.9).to(torch.float64)
    y2 = torch.index_fill(x, 0, torch.tensor([1]), 0.9).to(torch.float64)
    y3 = torch.scatter(x, 0, torch.tensor([0, 2, 5]), 0.9).to(torch.float64)
    y4 = torch.maximum(x, torch.tensor(0.9)).to(torch.float64)
    y5 = torch.nan_to_num(x, 0.9, 0.9, -0.7).to(torch.float64)
    y6 = torch.copysign(x, 0.9)
    y7 = torch.threshold(torch.relu(x), 0.9, -0.7).to(torch.float64)
    return (y0, y1, y2, y3, y4, y5, y6, y7,)

def wide_f32_wide4(x: "f32[48]"):
    y0 = torch.full((4,), 0.9, dtype=x.dtype).to(torch.float64)
    y1 = torch.scalar_tensor(0.9, dtype=x.dtype).to(torch.float64)
    y2 = torch.tensor([0.9, -0.7], dtype=x.dtype).to(torch.float64)
    y3 = torch.ops.aten.threshold_backward.default(x, x.roll(1), 0.9)
    y4 = torch.ops.aten.leaky_relu_backward.default(x, x.roll(1), 0.9, False)
    y5 = torch.fill(x, 0.9).to(torch.float64)
    return (y0, y1, y2, y3, y4, y5,)

def wide_f64_wide0(x: "f64[48]"):
    y0 = x == 0.9
    y1 = x != 0.9
    y2 = x < 0.9
    y3 = x <= 0.9
    y4 = x > 0.9
    y5 = x >= 0.9
    y6 = 0.9 < x
    y7 = x > torch.tensor(0.9)
    return (y0, y1, y2, y3, y4, y5, y6, y7,)

def wide_f64_wide1(x: "f64[48]"):
    y0 = x >= torch.tensor(0.9, dtype=torch.float64)
    y1 = torch.clamp(x, -0.7, 0.9)
    y2 = torch.clamp(x, min=0.9)
    y3 = torch.clamp(x, -0.7, 0.9) == 0.9
    y4 = torch.clamp(x, -0.7, 0.9).to(torch.float64)
    y5 = torch.clamp(x, torch.tensor(-0.7), torch.tensor(0.9)).to(torch.float64)
    y6 = torch.where(x > 0, 0.9, x).to(torch.float64)
    y7 = torch.where(x > 0, 0.9, -0.7)
    return (y0, y1, y2, y3, y4, y5, y6, y7,)

def wide_f64_wide2(x: "f64[48]"):
    y0 = torch.where(x > 0, x, torch.tensor(0.9)).to(torch.float32)
    y1 = torch.sum(x > 0.9)
    y2 = x.masked_fill(x > 0, 0.9).to(torch.float64)
    y3 = torch.full_like(x, 0.9).to(torch.float64)
    y4 = x.new_full((4,), 0.9).to(torch.float64)
    y5 = torch.nn.functional.hardtanh(x, -0.7, 0.9).to(torch.float64)
    y6 = torch.nn.functional.threshold(x, 0.9, -0.7).to(torch.float64)
    y7 = torch.nn.functional.hardshrink(x, 0.9)
    return (y0, y1, y2, y3, y4, y5, y6, y7,)

def wide_f64_wide3(x: "f64[48]"):
    y0 = torch.nn.functional.softshrink(x, abs(0.9))
    y1 = torch.nn.functional.pad(x, (1, 2), value=0.9).to(torch.float64)
    y2 = torch.index_fill(x, 0, torch.tensor([1]), 0.9).to(torch.float64)
    y3 = torch.scatter(x, 0, torch.tensor([0, 2, 5]), 0.9).to(torch.float64)
    y4 = torch.maximum(x, torch.tensor(0.9)).to(torch.float64)
    y5 = torch.nan_to_num(x, 0.9, 0.9, -0.7).to(torch.float64)
    y6 = torch.copysign(x, 0.9)
    y7 = torch.threshold(torch.relu(x), 0.9, -0.7).to(torch.float64)
    return (y0, y1, y2, y3, y4, y5, y6, y7,)

def wide_f64_wide4(x: "f64[48]"):
    y0 = torch.full((4,), 0.9, dtype=x.dtype).to(torch.float64)
    y1 = torch.scalar_tensor(0.9, dtype=x.dtype).to(torch.float64)
    y2 = torch.tensor([0.9, -0.7], dtype=x.dtype).to(torch.float64)
    y3 = torch.ops.aten.threshold_backward.default(x, x.roll(1), 0.9)
    y4 = torch.ops.aten.leaky_relu_backward.default(x, x.roll(1), 0.9, False)
    y5 = torch.fill(x, 0.9).to(torch.float64)
    return (y0, y1, y2, y3, y4, y5,)

def ints_i8_int0(x: "i8[48]"):
    y0 = x + 300
    y1 = 300 + x
    y2 = x - 300
    y3 = 300 - x
    y4 = torch.rsub(x, 300)
    y5 = x * 300
    y6 = x == 300
    y7 = x != 300
    return (y0, y1, y2, y3, y4, y5, y6, y7,)

def ints_i8_int1(x: "i8[48]"):
    y0 = x < 300
    y1 = x <= 300
    y2 = x > 300
    y3 = x >= 300
    y4 = 300 < x
    y5 = x > torch.tensor(300)
    y6 = x >= torch.tensor(300, dtype=torch.float64)
    y7 = torch.clamp(x, -1, 300)
    return (y0, y1, y2, y3, y4, y5, y6, y7,)

def ints_i8_int2(x: "i8[48]"):
    y0 = torch.clamp(x, -1, 300) == 300
    y1 = torch.clamp(x, -1, 300).to(torch.float64)
    y2 = torch.clamp(x, torch.tensor(-1), torch.tensor(300)).to(torch.float64)
    y3 = torch.where(x > 0, 300, -1)
    y4 = torch.where(x > 0, x, torch.tensor(300)).to(torch.float32)
    y5 = torch.sum(x > 300)
    y6 = torch.nn.functional.hardtanh(x, -1, 300).to(torch.float64)
    y7 = torch.maximum(x, torch.tensor(300)).to(torch.float64)
    return (y0, y1, y2, y3, y4, y5, y6, y7,)

def ints_i8_int3(x: "i8[48]"):
    y0 = torch.nan_to_num(x, 300, 300, -1).to(torch.float64)
    y1 = torch.copysign(x, 300)
    y2 = x / 300
    y3 = x // 300
    y4 = x % 300
    return (y0, y1, y2, y3, y4,)

def ints_i8_mixed0(x: "i8[48]"):
    y0 = x + 2.5
    y1 = 2.5 + x
    y2 = x - 2.5
    y3 = 2.5 - x
    y4 = torch.rsub(x, 2.5)
    y5 = x * 2.5
    y6 = x == 2.5
    y7 = x != 2.5
    return (y0, y1, y2, y3, y4, y5, y6, y7,)

def ints_i8_mixed1(x: "i8[48]"):
    y0 = x < 2.5
    y1 = x <= 2.5
    y2 = x > 2.5
    y3 = x >= 2.5
    y4 = 2.5 < x
    y5 = x > torch.tensor(2.5)
    y6 = x >= torch.tensor(2.5, dtype=torch.float64)
    y7 = torch.clamp(x, 1.5, 2.5)
    return (y0, y1, y2, y3, y4, y5, y6, y7,)

def ints_i8_mixed2(x: "i8[48]"):
    y0 = torch.clamp(x, min=2.5)
    y1 = torch.clamp(x, 1.5, 2.5) == 2.5
    y2 = torch.clamp(x, 1.5, 2.5).to(torch.float64)
    y3 = torch.clamp(x, torch.tensor(1.5), torch.tensor(2.5)).to(torch.float64)
    y4 = torch.where(x > 0, 2.5, x).to(torch.float64)
    y5 = torch.where(x > 0, 2.5, 1.5)
    y6 = torch.where(x > 0, x, torch.tensor(2.5)).to(torch.float32)
    y7 = torch.sum(x > 2.5)
    return (y0, y1, y2, y3, y4, y5, y6, y7,)

def ints_i8_mixed3(x: "i8[48]"):
    y0 = x.masked_fill(x > 0, 2.5).to(torch.float64)
    y1 = torch.full_like(x, 2.5).to(torch.float64)
    y2 = x.new_full((4,), 2.5).to(torch.float64)
    y3 = torch.nn.functional.hardtanh(x, 1.5, 2.5).to(torch.float64)
    y4 = torch.nn.functional.threshold(x, 2.5, 1.5).to(torch.float64)
    y5 = torch.nn.functional.pad(x, (1, 2), value=2.5).to(torch.float64)
    y6 = torch.index_fill(x, 0, torch.tensor([1]), 2.5).to(torch.float64)
    y7 = torch.scatter(x, 0, torch.tensor([0, 2, 5]), 2.5).to(torch.float64)
    return (y0, y1, y2, y3, y4, y5, y6, y7,)

def ints_i8_mixed4(x: "i8[48]"):
    y0 = torch.maximum(x, torch.tensor(2.5)).to(torch.float64)
    y1 = torch.nan_to_num(x, 2.5, 2.5, 1.5).to(torch.float64)
    y2 = torch.copysign(x, 2.5)
    y3 = torch.threshold(torch.relu(x), 2.5, 1.5).to(torch.float64)
    y4 = torch.full((4,), 2.5, dtype=x.dtype).to(torch.float64)
    y5 = torch.scalar_tensor(2.5, dtype=x.dtype).to(torch.float64)
    y6 = torch.tensor([2.5, 1.5], dtype=x.dtype).to(torch.float64)
    y7 = torch.ops.aten.threshold_backward.default(x, x.roll(1), 2.5)
    return (y0, y1, y2, y3, y4, y5, y6, y7,)

def ints_i8_mixed5(x: "i8[48]"):
    y0 = torch.fill(x, 2.5).to(torch.float64)
    y1 = x / 2.5
    y2 = x // 2.5
    y3 = x % 2.5
    y4 = 2.5 % x
    return (y0, y1, y2, y3, y4,)

def ints_i8_bool0(x: "i8[48]"):
    y0 = x + True
    y1 = True + x
    y2 = x * True
    y3 = x == True
    y4 = x != True
    y5 = x < True
    y6 = x <= True
    y7 = x > True
    return (y0, y1, y2, y3, y4, y5, y6, y7,)

def ints_i8_bool1(x: "i8[48]"):
    y0 = x >= True
    y1 = True < x
    y2 = x > torch.tensor(True)
    y3 = x >= torch.tensor(True, dtype=torch.float64)
    y4 = torch.clamp(x, False, True)
    y5 = torch.clamp(x, min=True)
    y6 = torch.clamp(x, False, True) == True
    y7 = torch.clamp(x, False, True).to(torch.float64)
    return (y0, y1, y2, y3, y4, y5, y6, y7,)

def ints_i8_bool2(x: "i8[48]"):
    y0 = torch.clamp(x, torch.tensor(False), torch.tensor(True)).to(torch.float64)
    y1 = torch.where(x > 0, True, x).to(torch.float64)
    y2 = torch.where(x > 0, True, False)
    y3 = torch.where(x > 0, x, torch.tensor(True)).to(torch.float32)
    y4 = torch.sum(x > True)
    y5 = x.masked_fill(x > 0, True).to(torch.float64)
    y6 = torch.full_like(x, True).to(torch.float64)
    y7 = x.new_full((4,), True).to(torch.float64)
    return (y0, y1, y2, y3, y4, y5, y6, y7,)

def ints_i8_bool3(x: "i8[48]"):
    y0 = torch.nn.functional.hardtanh(x, False, True).to(torch.float64)
    y1 = torch.nn.functional.threshold(x, True, False).to(torch.float64)
    y2 = torch.nn.functional.pad(x, (1, 2), value=True).to(torch.float64)
    y3 = torch.index_fill(x, 0, torch.tensor([1]), True).to(torch.float64)
    y4 = torch.scatter(x, 0, torch.tensor([0, 2, 5]), True).to(torch.float64)
    y5 = torch.maximum(x, torch.tensor(True)).to(torch.float64)
    y6 = torch.nan_to_num(x, True, True, False).to(torch.float64)
    y7 = torch.copysign(x, True)
    return (y0, y1, y2, y3, y4, y5, y6, y7,)

def ints_i8_bool4(x: "i8[48]"):
    y0 = torch.threshold(torch.relu(x), True, False).to(torch.float64)
    y1 = torch.full((4,), True, dtype=x.dtype).to(torch.float64)
    y2 = torch.scalar_tensor(True, dtype=x.dtype).to(torch.float64)
    y3 = torch.tensor([True, False], dtype=x.dtype).to(torch.float64)
    y4 = torch.ops.aten.threshold_backward.default(x, x.roll(1), True)
    y5 = torch.fill(x, True).to(torch.float64)
    y6 = x / True
    y7 = x // True
    return (y0, y1, y2, y3, y4, y5, y6, y7,)

def ints_i8_bool5(x: "i8[48]"):
    y0 = x % True
    return (y0,)

def ints_u8_int0(x: "u8[48]"):
    y0 = x + 300
    y1 = 300 + x
    y2 = x - 300
    y3 = 300 - x
    y4 = torch.rsub(x, 300)
    y5 = x * 300
    y6 = x == 300
    y7 = x != 300
    return (y0, y1, y2, y3, y4, y5, y6, y7,)

def ints_u8_int1(x: "u8[48]"):
    y0 = x < 300
    y1 = x <= 300
    y2 = x > 300
    y3 = x >= 300
    y4 = 300 < x
    y5 = x > torch.tensor(300)
    y6 = x >= torch.tensor(300, dtype=torch.float64)
    y7 = torch.clamp(x, -1, 300)
    return (y0, y1, y2, y3, y4, y5, y6, y7,)

def ints_u8_int2(x: "u8[48]"):
    y0 = torch.clamp(x, -1, 300) == 300
    y1 = torch.clamp(x, -1, 300).to(torch.float64)
    y2 = torch.clamp(x, torch.tensor(-1), torch.tensor(300)).to(torch.float64)
    y3 = torch.where(x > 0, 300, -1)
    y4 = torch.where(x > 0, x, torch.tensor(300)).to(torch.float32)
    y5 = torch.sum(x > 300)
    y6 = torch.nn.functional.hardtanh(x, -1, 300).to(torch.float64)
    y7 = torch.maximum(x, torch.tensor(300)).to(torch.float64)
    return (y0, y1, y2, y3, y4, y5, y6, y7,)

def ints_u8_int3(x: "u8[48]"):
    y0 = torch.nan_to_num(x, 300, 300, -1).to(torch.float64)
    y1 = torch.copysign(x, 300)
    y2 = x / 300
    y3 = x // 300
    y4 = x % 300
    return (y0, y1, y2, y3, y4,)

def ints_u8_mixed0(x: "u8[48]"):
    y0 = x + 2.5
    y1 = 2.5 + x
    y2 = x - 2.5
    y3 = 2.5 - x
    y4 = torch.rsub(x, 2.5)
    y5 = x * 2.5
    y6 = x == 2.5
    y7 = x != 2.5
    return (y0, y1, y2, y3, y4, y5, y6, y7,)

def ints_u8_mixed1(x: "u8[48]"):
    y0 = x < 2.5
    y1 = x <= 2.5
    y2 = x > 2.5
    y3 = x >= 2.5
    y4 = 2.5 < x
    y5 = x > torch.tensor(2.5)
    y6 = x >= torch.tensor(2.5, dtype=torch.float64)
    y7 = torch.clamp(x, 1.5, 2.5)
    return (y0, y1, y2, y3, y4, y5, y6, y7,)

def ints_u8_mixed2(x: "u8[48]"):
    y0 = torch.clamp(x, min=2.5)
    y1 = torch.clamp(x, 1.5, 2.5) == 2.5
    y2 = torch.clamp(x, 1.5, 2.5).to(torch.float64)
    y3 = torch.clamp(x, torch.tensor(1.5), torch.tensor(2.5)).to(torch.float64)
    y4 = torch.where(x > 0, 2.5, x).to(torch.float64)
    y5 = torch.where(x > 0, 2.5, 1.5)
    y6 = torch.where(x > 0, x, torch.tensor(2.5)).to(torch.float32)
    y7 = torch.sum(x > 2.5)
    return (y0, y1, y2, y3, y4, y5, y6, y7,)

def ints_u8_mixed3(x: "u8[48]"):
    y0 = x.masked_fill(x > 0, 2.5).to(torch.float64)
    y1 = torch.full_like(x, 2.5).to(torch.float64)
    y2 = x.new_full((4,), 2.5).to(torch.float64)
    y3 = torch.nn.functional.hardtanh(x, 1.5, 2.5).to(torch.float64)
    y4 = torch.nn.functional.threshold(x, 2.5, 1.5).to(torch.float64)
    y5 = torch.nn.functional.pad(x, (1, 2), value=2.5).to(torch.float64)
    y6 = torch.index_fill(x, 0, torch.tensor([1]), 2.5).to(torch.float64)
    y7 = torch.scatter(x, 0, torch.tensor([0, 2, 5]), 2.5).to(torch.float64)
    return (y0, y1, y2, y3, y4, y5, y6, y7,)

def ints_u8_mixed4(x: "u8[48]"):
    y0 = torch.maximum(x, torch.tensor(2.5)).to(torch.float64)
    y1 = torch.nan_to_num(x, 2.5, 2.5, 1.5).to(torch.float64)
    y2 = torch.copysign(x, 2.5)
    y3 = torch.threshold(torch.relu(x), 2.5, 1.5).to(torch.float64)
    y4 = torch.full((4,), 2.5, dtype=x.dtype).to(torch.float64)
    y5 = torch.scalar_tensor(2.5, dtype=x.dtype).to(torch.float64)
    y6 = torch.tensor([2.5, 1.5], dtype=x.dtype).to(torch.float64)
    y7 = torch.ops.aten.threshold_backward.default(x, x.roll(1), 2.5)
    return (y0, y1, y2, y3, y4, y5, y6, y7,)

def ints_u8_mixed5(x: "u8[48]"):
    y0 = torch.fill(x, 2.5).to(torch.float64)
    y1 = x / 2.5
    y2 = x // 2.5
    y3 = x % 2.5
    y4 = 2.5 % x
    return (y0, y1, y2, y3, y4,)

def ints_u8_bool0(x: "u8[48]"):
    y0 = x + True
    y1 = True + x
    y2 = x * True
    y3 = x == True
    y4 = x != True
    y5 = x < True
    y6 = x <= True
    y7 = x > True
    return (y0, y1, y2, y3, y4, y5, y6, y7,)

def ints_u8_bool1(x: "u8[48]"):
    y0 = x >= True
    y1 = True < x
    y2 = x > torch.tensor(True)
    y3 = x >= torch.tensor(True, dtype=torch.float64)
    y4 = torch.clamp(x, False, True)
    y5 = torch.clamp(x, min=True)
    y6 = torch.clamp(x, False, True) == True
    y7 = torch.clamp(x, False, True).to(torch.float64)
    return (y0, y1, y2, y3, y4, y5, y6, y7,)

def ints_u8_bool2(x: "u8[48]"):
    y0 = torch.clamp(x, torch.tensor(False), torch.tensor(True)).to(torch.float64)
    y1 = torch.where(x > 0, True, x).to(torch.float64)
    y2 = torch.where(x > 0, True, False)
    y3 = torch.where(x > 0, x, torch.tensor(True)).to(torch.float32)
    y4 = torch.sum(x > True)
    y5 = x.masked_fill(x > 0, True).to(torch.float64)
    y6 = torch.full_like(x, True).to(torch.float64)
    y7 = x.new_full((4,), True).to(torch.float64)
    return (y0, y1, y2, y3, y4, y5, y6, y7,)

def ints_u8_bool3(x: "u8[48]"):
    y0 = torch.nn.functional.hardtanh(x, False, True).to(torch.float64)
    y1 = torch.nn.functional.threshold(x, True, False).to(torch.float64)
    y2 = torch.nn.functional.pad(x, (1, 2), value=True).to(torch.float64)
    y3 = torch.index_fill(x, 0, torch.tensor([1]), True).to(torch.float64)
    y4 = torch.scatter(x, 0, torch.tensor([0, 2, 5]), True).to(torch.float64)
    y5 = torch.maximum(x, torch.tensor(True)).to(torch.float64)
    y6 = torch.nan_to_num(x, True, True, False).to(torch.float64)
    y7 = torch.copysign(x, True)
    return (y0, y1, y2, y3, y4, y5, y6, y7,)

def ints_u8_bool4(x: "u8[48]"):
    y0 = torch.threshold(torch.relu(x), True, False).to(torch.float64)
    y1 = torch.full((4,), True, dtype=x.dtype).to(torch.float64)
    y2 = torch.scalar_tensor(True, dtype=x.dtype).to(torch.float64)
    y3 = torch.tensor([True, False], dtype=x.dtype).to(torch.float64)
    y4 = torch.ops.aten.threshold_backward.default(x, x.roll(1), True)
    y5 = torch.fill(x, True).to(torch.float64)
    y6 = x / True
    y7 = x // True
    return (y0, y1, y2, y3, y4, y5, y6, y7,)

def ints_u8_bool5(x: "u8[48]"):
    y0 = x % True
    return (y0,)

def ints_i32_int0(x: "i32[48]"):
    y0 = x + 300
    y1 = 300 + x
    y2 = x - 300
    y3 = 300 - x
    y4 = torch.rsub(x, 300)
    y5 = x * 300
    y6 = x == 300
    y7 = x != 300
    return (y0, y1, y2, y3, y4, y5, y6, y7,)

def ints_i32_int1(x: "i32[48]"):
    y0 = x < 300
    y1 = x <= 300
    y2 = x > 300
    y3 = x >= 300
    y4 = 300 < x
    y5 = x > torch.tensor(300)
    y6 = x >= torch.tensor(300, dtype=torch.float64)
    y7 = torch.clamp(x, -1, 300)
    return (y0, y1, y2, y3, y4, y5, y6, y7,)

def ints_i32_int2(x: "i32[48]"):
    y0 = torch.clamp(x, min=300)
    y1 = torch.clamp(x, -1, 300) == 300
    y2 = torch.clamp(x, -1, 300).to(torch.float64)
    y3 = torch.clamp(x, torch.tensor(-1), torch.tensor(300)).to(torch.float64)
    y4 = torch.where(x > 0, 300, x).to(torch.float64)
    y5 = torch.where(x > 0, 300, -1)
    y6 = torch.where(x > 0, x, torch.tensor(300)).to(torch.float32)
    y7 = torch.sum(x > 300)
    return (y0, y1, y2, y3, y4, y5, y6, y7,)

def ints_i32_int3(x: "i32[48]"):
    y0 = x.masked_fill(x > 0, 300).to(torch.float64)
    y1 = torch.full_like(x, 300).to(torch.float64)
    y2 = x.new_full((4,), 300).to(torch.float64)
    y3 = torch.nn.functional.hardtanh(x, -1, 300).to(torch.float64)
    y4 = torch.nn.functional.threshold(x, 300, -1).to(torch.float64)
    y5 = torch.nn.functional.pad(x, (1, 2), value=300).to(torch.float64)
    y6 = torch.index_fill(x, 0, torch.tensor([1]), 300).to(torch.float64)
    y7 = torch.scatter(x, 0, torch.tensor([0, 2, 5]), 300).to(torch.float64)
    return (y0, y1, y2, y3, y4, y5, y6, y7,)

def ints_i32_int4(x: "i32[48]"):
    y0 = torch.maximum(x, torch.tensor(300)).to(torch.float64)
    y1 = torch.nan_to_num(x, 300, 300, -1).to(torch.float64)
    y2 = torch.copysign(x, 300)
    y3 = torch.threshold(torch.relu(x), 300, -1).to(torch.float64)
    y4 = torch.full((4,), 300, dtype=x.dtype).to(torch.float64)
    y5 = torch.scalar_tensor(300, dtype=x.dtype).to(torch.float64)
    y6 = torch.tensor([300, -1], dtype=x.dtype).to(torch.float64)
    y7 = torch.ops.aten.threshold_backward.default(x, x.roll(1), 300)
    return (y0, y1, y2, y3, y4, y5, y6, y7,)

def ints_i32_int5(x: "i32[48]"):
    y0 = torch.fill(x, 300).to(torch.float64)
    y1 = x / 300
    y2 = x // 300
    y3 = x % 300
    return (y0, y1, y2, y3,)

def ints_i32_mixed0(x: "i32[48]"):
    y0 = x + 2.5
    y1 = 2.5 + x
    y2 = x - 2.5
    y3 = 2.5 - x
    y4 = torch.rsub(x, 2.5)
    y5 = x * 2.5
    y6 = x == 2.5
    y7 = x != 2.5
    return (y0, y1, y2, y3, y4, y5, y6, y7,)

def ints_i32_mixed1(x: "i32[48]"):
    y0 = x < 2.5
    y1 = x <= 2.5
    y2 = x > 2.5
    y3 = x >= 2.5
    y4 = 2.5 < x
    y5 = x > torch.tensor(2.5)
    y6 = x >= torch.tensor(2.5, dtype=torch.float64)
    y7 = torch.clamp(x, 1.5, 2.5)
    return (y0, y1, y2, y3, y4, y5, y6, y7,)

def ints_i32_mixed2(x: "i32[48]"):
    y0 = torch.clamp(x, min=2.5)
    y1 = torch.clamp(x, 1.5, 2.5) == 2.5
    y2 = torch.clamp(x, 1.5, 2.5).to(torch.float64)
    y3 = torch.clamp(x, torch.tensor(1.5), torch.tensor(2.5)).to(torch.float64)
    y4 = torch.where(x > 0, 2.5, x).to(torch.float64)
    y5 = torch.where(x > 0, 2.5, 1.5)
    y6 = torch.where(x > 0, x, torch.tensor(2.5)).to(torch.float32)
    y7 = torch.sum(x > 2.5)
    return (y0, y1, y2, y3, y4, y5, y6, y7,)

def ints_i32_mixed3(x: "i32[48]"):
    y0 = x.masked_fill(x > 0, 2.5).to(torch.float64)
    y1 = torch.full_like(x, 2.5).to(torch.float64)
    y2 = x.new_full((4,), 2.5).to(torch.float64)
    y3 = torch.nn.functional.hardtanh(x, 1.5, 2.5).to(torch.float64)
    y4 = torch.nn.functional.threshold(x, 2.5, 1.5).to(torch.float64)
    y5 = torch.nn.functional.pad(x, (1, 2), value=2.5).to(torch.float64)
    y6 = torch.index_fill(x, 0, torch.tensor([1]), 2.5).to(torch.float64)
    y7 = torch.scatter(x, 0, torch.tensor([0, 2, 5]), 2.5).to(torch.float64)
    return (y0, y1, y2, y3, y4, y5, y6, y7,)

def ints_i32_mixed4(x: "i32[48]"):
    y0 = torch.maximum(x, torch.tensor(2.5)).to(torch.float64)
    y1 = torch.nan_to_num(x, 2.5, 2.5, 1.5).to(torch.float64)
    y2 = torch.copysign(x, 2.5)
    y3 = torch.threshold(torch.relu(x), 2.5, 1.5).to(torch.float64)
    y4 = torch.full((4,), 2.5, dtype=x.dtype).to(torch.float64)
    y5 = torch.scalar_tensor(2.5, dtype=x.dtype).to(torch.float64)
    y6 = torch.tensor([2.5, 1.5], dtype=x.dtype).to(torch.float64)
    y7 = torch.ops.aten.threshold_backward.default(x, x.roll(1), 2.5)
    return (y0, y1, y2, y3, y4, y5, y6, y7,)

def ints_i32_mixed5(x: "i32[48]"):
    y0 = torch.fill(x, 2.5).to(torch.float64)
    y1 = x / 2.5
    y2 = x // 2.5
    y3 = x % 2.5
    y4 = 2.5 % x
    return (y0, y1, y2, y3, y4,)

def ints_i32_bool0(x: "i32[48]"):
    y0 = x + True
    y1 = True + x
    y2 = x * True
    y3 = x == True
    y4 = x != True
    y5 = x < True
    y6 = x <= True
    y7 = x > True
    return (y0, y1, y2, y3, y4, y5, y6, y7,)

def ints_i32_bool1(x: "i32[48]"):
    y0 = x >= True
    y1 = True < x
    y2 = x > torch.tensor(True)
    y3 = x >= torch.tensor(True, dtype=torch.float64)
    y4 = torch.clamp(x, False, True)
    y5 = torch.clamp(x, min=True)
    y6 = torch.clamp(x, False, True) == True
    y7 = torch.clamp(x, False, True).to(torch.float64)
    return (y0, y1, y2, y3, y4, y5, y6, y7,)

def ints_i32_bool2(x: "i32[48]"):
    y0 = torch.clamp(x, torch.tensor(False), torch.tensor(True)).to(torch.float64)
    y1 = torch.where(x > 0, True, x).to(torch.float64)
    y2 = torch.where(x > 0, True, False)
    y3 = torch.where(x > 0, x, torch.tensor(True)).to(torch.float32)
    y4 = torch.sum(x > True)
    y5 = x.masked_fill(x > 0, True).to(torch.float64)
    y6 = torch.full_like(x, True).to(torch.float64)
    y7 = x.new_full((4,), True).to(torch.float64)
    return (y0, y1, y2, y3, y4, y5, y6, y7,)

def ints_i32_bool3(x: "i32[48]"):
    y0 = torch.nn.functional.hardtanh(x, False, True).to(torch.float64)
    y1 = torch.nn.functional.threshold(x, True, False).to(torch.float64)
    y2 = torch.nn.functional.pad(x, (1, 2), value=True).to(torch.float64)
    y3 = torch.index_fill(x, 0, torch.tensor([1]), True).to(torch.float64)
    y4 = torch.scatter(x, 0, torch.tensor([0, 2, 5]), True).to(torch.float64)
    y5 = torch.maximum(x, torch.tensor(True)).to(torch.float64)
    y6 = torch.nan_to_num(x, True, True, False).to(torch.float64)
    y7 = torch.copysign(x, True)
    return (y0, y1, y2, y3, y4, y5, y6, y7,)

def ints_i32_bool4(x: "i32[48]"):
    y0 = torch.threshold(torch.relu(x), True, False).to(torch.float64)
    y1 = torch.full((4,), True, dtype=x.dtype).to(torch.float64)
    y2 = torch.scalar_tensor(True, dtype=x.dtype).to(torch.float64)
    y3 = torch.tensor([True, False], dtype=x.dtype).to(torch.float64)
    y4 = torch.ops.aten.threshold_backward.default(x, x.roll(1), True)
    y5 = torch.fill(x, True).to(torch.float64)
    y6 = x / True
    y7 = x // True
    return (y0, y1, y2, y3, y4, y5, y6, y7,)

def ints_i32_bool5(x: "i32[48]"):
    y0 = x % True
    return (y0,)

def ints_b8_int0(x: "b8[48]"):
    y0 = x + 300
    y1 = 300 + x
    y2 = x * 300
    y3 = x == 300
    y4 = x != 300
    y5 = x < 300
    y6 = x <= 300
    y7 = x > 300
    return (y0, y1, y2, y3, y4, y5, y6, y7,)

def ints_b8_int1(x: "b8[48]"):
    y0 = x >= 300
    y1 = 300 < x
    y2 = x > torch.tensor(300)
    y3 = x >= torch.tensor(300, dtype=torch.float64)
    y4 = torch.clamp(x, -1, 300)
    y5 = torch.clamp(x, min=300)
    y6 = torch.clamp(x, -1, 300) == 300
    y7 = torch.clamp(x, -1, 300).to(torch.float64)
    return (y0, y1, y2, y3, y4, y5, y6, y7,)

def ints_b8_int2(x: "b8[48]"):
    y0 = torch.clamp(x, torch.tensor(-1), torch.tensor(300)).to(torch.float64)
    y1 = torch.where(x > 0, 300, x).to(torch.float64)
    y2 = torch.where(x > 0, 300, -1)
    y3 = torch.where(x > 0, x, torch.tensor(300)).to(torch.float32)
    y4 = torch.sum(x > 300)
    y5 = x.masked_fill(x > 0, 300).to(torch.float64)
    y6 = torch.full_like(x, 300).to(torch.float64)
    y7 = x.new_full((4,), 300).to(torch.float64)
    return (y0, y1, y2, y3, y4, y5, y6, y7,)

def ints_b8_int3(x: "b8[48]"):
    y0 = torch.nn.functional.pad(x, (1, 2), value=300).to(torch.float64)
    y1 = torch.index_fill(x, 0, torch.tensor([1]), 300).to(torch.float64)
    y2 = torch.scatter(x, 0, torch.tensor([0, 2, 5]), 300).to(torch.float64)
    y3 = torch.maximum(x, torch.tensor(300)).to(torch.float64)
    y4 = torch.nan_to_num(x, 300, 300, -1).to(torch.float64)
    y5 = torch.copysign(x, 300)
    y6 = torch.full((4,), 300, dtype=x.dtype).to(torch.float64)
    y7 = torch.scalar_tensor(300, dtype=x.dtype).to(torch.float64)
    return (y0, y1, y2, y3, y4, y5, y6, y7,)

def ints_b8_int4(x: "b8[48]"):
    y0 = torch.tensor([300, -1], dtype=x.dtype).to(torch.float64)
    y1 = torch.fill(x, 300).to(torch.float64)
    y2 = x / 300
    y3 = x // 300
    y4 = x % 300
    return (y0, y1, y2, y3, y4,)

def ints_b8_mixed0(x: "b8[48]"):
    y0 = x + 2.5
    y1 = 2.5 + x
    y2 = x * 2.5
    y3 = x == 2.5
    y4 = x != 2.5
    y5 = x < 2.5
    y6 = x <= 2.5
    y7 = x > 2.5
    return (y0, y1, y2, y3, y4, y5, y6, y7,)

def ints_b8_mixed1(x: "b8[48]"):
    y0 = x >= 2.5
    y1 = 2.5 < x
    y2 = x > torch.tensor(2.5)
    y3 = x >= torch.tensor(2.5, dtype=torch.float64)
    y4 = torch.clamp(x, 1.5, 2.5)
    y5 = torch.clamp(x, min=2.5)
    y6 = torch.clamp(x, 1.5, 2.5) == 2.5
    y7 = torch.clamp(x, 1.5, 2.5).to(torch.float64)
    return (y0, y1, y2, y3, y4, y5, y6, y7,)

def ints_b8_mixed2(x: "b8[48]"):
    y0 = torch.clamp(x, torch.tensor(1.5), torch.tensor(2.5)).to(torch.float64)
    y1 = torch.where(x > 0, 2.5, x).to(torch.float64)
    y2 = torch.where(x > 0, 2.5, 1.5)
    y3 = torch.where(x > 0, x, torch.tensor(2.5)).to(torch.float32)
    y4 = torch.sum(x > 2.5)
    y5 = x.masked_fill(x > 0, 2.5).to(torch.float64)
    y6 = torch.full_like(x, 2.5).to(torch.float64)
    y7 = x.new_full((4,), 2.5).to(torch.float64)
    return (y0, y1, y2, y3, y4, y5, y6, y7,)

def ints_b8_mixed3(x: "b8[48]"):
    y0 = torch.nn.functional.pad(x, (1, 2), value=2.5).to(torch.float64)
    y1 = torch.index_fill(x, 0, torch.tensor([1]), 2.5).to(torch.float64)
    y2 = torch.scatter(x, 0, torch.tensor([0, 2, 5]), 2.5).to(torch.float64)
    y3 = torch.maximum(x, torch.tensor(2.5)).to(torch.float64)
    y4 = torch.nan_to_num(x, 2.5, 2.5, 1.5).to(torch.float64)
    y5 = torch.copysign(x, 2.5)
    y6 = torch.full((4,), 2.5, dtype=x.dtype).to(torch.float64)
    y7 = torch.scalar_tensor(2.5, dtype=x.dtype).to(torch.float64)
    return (y0, y1, y2, y3, y4, y5, y6, y7,)

def ints_b8_mixed4(x: "b8[48]"):
    y0 = torch.tensor([2.5, 1.5], dtype=x.dtype).to(torch.float64)
    y1 = torch.fill(x, 2.5).to(torch.float64)
    y2 = x / 2.5
    y3 = x // 2.5
    y4 = x % 2.5
    y5 = 2.5 % x
    return (y0, y1, y2, y3, y4, y5,)

def ints_b8_bool0(x: "b8[48]"):
    y0 = x + True
    y1 = True + x
    y2 = x * True
    y3 = x == True
    y4 = x != True
    y5 = x < True
    y6 = x <= True
    y7 = x > True
    return (y0, y1, y2, y3, y4, y5, y6, y7,)

def ints_b8_bool1(x: "b8[48]"):
    y0 = x >= True
    y1 = True < x
    y2 = x > torch.tensor(True)
    y3 = x >= torch.tensor(True, dtype=torch.float64)
    y4 = torch.where(x > 0, True, x).to(torch.float64)
    y5 = torch.where(x > 0, True, False)
    y6 = torch.where(x > 0, x, torch.tensor(True)).to(torch.float32)
    y7 = torch.sum(x > True)
    return (y0, y1, y2, y3, y4, y5, y6, y7,)

def ints_b8_bool2(x: "b8[48]"):
    y0 = x.masked_fill(x > 0, True).to(torch.float64)
    y1 = torch.full_like(x, True).to(torch.float64)
    y2 = x.new_full((4,), True).to(torch.float64)
    y3 = torch.nn.functional.pad(x, (1, 2), value=True).to(torch.float64)
    y4 = torch.index_fill(x, 0, torch.tensor([1]), True).to(torch.float64)
    y5 = torch.scatter(x, 0, torch.tensor([0, 2, 5]), True).to(torch.float64)
    y6 = torch.maximum(x, torch.tensor(True)).to(torch.float64)
    y7 = torch.nan_to_num(x, True, True, False).to(torch.float64)
    return (y0, y1, y2, y3, y4, y5, y6, y7,)

def ints_b8_bool3(x: "b8[48]"):
    y0 = torch.copysign(x, True)
    y1 = torch.full((4,), True, dtype=x.dtype).to(torch.float64)
    y2 = torch.scalar_tensor(True, dtype=x.dtype).to(torch.float64)
    y3 = torch.tensor([True, False], dtype=x.dtype).to(torch.float64)
    y4 = torch.fill(x, True).to(torch.float64)
    y5 = x / True
    return (y0, y1, y2, y3, y4, y5,)
