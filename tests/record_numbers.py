"""Writes and records tests/cases/numbers: what PyTorch makes of numbers beside tensors, to the last bit.

    python3 tests/record_numbers.py

An expression is one of x, a tensor of each dtype, and of the numbers n and m; eight of them are a program. In programs
exact_* nothing is computed that libraries compute in several ways; wide_* are of f32 and f64. What PyTorch refuses for a
dtype is left out there. Needs torch and safetensors.
"""
import pathlib
import re

import torch
from safetensors.torch import save_file

FOLDER = pathlib.Path(__file__).parent / "cases"
SHORT = {
    torch.float64: "f64", torch.float32: "f32", torch.bfloat16: "bf16", torch.float16: "f16", torch.int8: "i8",
    torch.uint8: "u8", torch.int32: "i32", torch.bool: "b8",
}
F = "torch.nn.functional."
TOGETHER = 8
SUMS = """
x + n; n + x; x - n; n - x; torch.rsub(x, n); x * n; x + torch.tensor(n); x - torch.tensor(n, dtype=torch.float64)
x * torch.tensor(n); torch.addcmul(x, x.flip(0), x.roll(1), value=n); F.leaky_relu(x, n); torch.trunc(x - n)
torch.add(x, torch.round(x.flip(0)), alpha=n); torch.sub(x, torch.round(x.flip(0)), alpha=n); torch.rsub(torch.round(x), n, alpha=m)
"""
CHOICES = """
x == n; x != n; x < n; x <= n; x > n; x >= n; n < x; x > torch.tensor(n); x >= torch.tensor(n, dtype=torch.float64)
torch.clamp(x, m, n); torch.clamp(x, min=n); torch.clamp(x, m, n) == n; torch.clamp(x, m, n).to(torch.float64)
torch.clamp(x, torch.tensor(m), torch.tensor(n)).to(torch.float64); torch.where(x > 0, n, x).to(torch.float64)
torch.where(x > 0, n, m); torch.where(x > 0, x, torch.tensor(n)).to(torch.float32); torch.sum(x > n)
x.masked_fill(x > 0, n).to(torch.float64); torch.full_like(x, n).to(torch.float64); x.new_full((4,), n).to(torch.float64)
F.hardtanh(x, m, n).to(torch.float64); F.threshold(x, n, m).to(torch.float64); F.hardshrink(x, n); F.softshrink(x, abs(n))
F.pad(x, (1, 2), value=n).to(torch.float64); torch.index_fill(x, 0, torch.tensor([1]), n).to(torch.float64)
torch.scatter(x, 0, torch.tensor([0, 2, 5]), n).to(torch.float64); torch.maximum(x, torch.tensor(n)).to(torch.float64)
torch.nan_to_num(x, n, n, m).to(torch.float64); torch.copysign(x, n); torch.threshold(torch.relu(x), n, m).to(torch.float64)
torch.full((4,), n, dtype=x.dtype).to(torch.float64); torch.scalar_tensor(n, dtype=x.dtype).to(torch.float64)
torch.tensor([n, m], dtype=x.dtype).to(torch.float64); torch.ops.aten.threshold_backward.default(x, x.roll(1), n)
torch.ops.aten.leaky_relu_backward.default(x, x.roll(1), n, False); torch.fill(x, n).to(torch.float64)
"""
COMPUTED = """
x / n; x // n; x % n; n % x; torch.fmod(x, n); torch.fmod(x, torch.tensor(n)); x % torch.tensor(n)
torch.div(x, n, rounding_mode='trunc'); torch.div(x, n, rounding_mode='floor'); x ** n; n ** x; x ** torch.tensor(n)
torch.xlogy(x, n); torch.xlogy(n, x); torch.special.xlog1py(n, x); F.elu(x, n); F.celu(x, n); F.softplus(x, n, m)
torch.atan2(x, torch.tensor(n)); torch.hypot(x, torch.tensor(n)); torch.linspace(m, n, 7, dtype=x.dtype).to(torch.float64)
torch.arange(m, 5.0, n, dtype=x.dtype).to(torch.float64); torch.addcdiv(x, x.flip(0), x.roll(1), value=n)
torch.index_add(x, 0, torch.tensor([0, 2, 5]), x[:3], alpha=n); torch.exp(x * n); torch.cumsum(x * n, 0)
"""
NUMBERS = {"half": (0.9, -0.7), "wide": (0.9, -0.7), "int": (300, -1), "mixed": (2.5, 1.5), "bool": (True, False)}


def values(dtype):
    """NaN and what is next to the numbers first."""
    generator = torch.Generator().manual_seed(3)
    if not dtype.is_floating_point:
        x = torch.randint(-128, 128, (48,), generator=generator)
        x[:8] = torch.tensor([0, 1, 2, 3, 44, 45, 127, -1])
        return x.to(dtype)
    x = torch.randn(48, generator=generator, dtype=torch.float64)
    x[:6] = torch.tensor([float("nan"), float("inf"), -float("inf"), 0.0, 1e-3, 300.0])
    at = 6
    for number in (0.9, -0.7, -0.9):
        near = torch.tensor(number, dtype=dtype)
        for to in (near, torch.nextafter(near, near + 1), torch.nextafter(near, near - 1)):
            x[at] = to.double()
            at += 1
    return x.to(dtype)


def rows(text):
    return [row.strip() for line in text.strip().split("\n") for row in line.split("; ")]


def families():
    for dtype in (torch.bfloat16, torch.float16):
        yield "exact", dtype, "half", rows(SUMS) + rows(CHOICES)
        yield "near", dtype, "half", rows(COMPUTED)
    for dtype in (torch.float32, torch.float64):
        yield "wide", dtype, "wide", rows(CHOICES)
    for dtype in (torch.int8, torch.uint8, torch.int32, torch.bool):
        for numbers in ("int", "mixed", "bool"):
            yield "ints", dtype, numbers, rows(SUMS)[:6] + rows(CHOICES) + rows(COMPUTED)[:4]


def written(row, n, m):
    """The expression with both numbers in place."""
    return re.sub(r"\bm\b", repr(m), re.sub(r"\bn\b", repr(n), row))


def answers(expressions, x):
    for e in expressions:
        try:
            yield e, eval(e, {"torch": torch, "F": torch.nn.functional, "x": x.clone()})
        except (RuntimeError, TypeError):
            pass


def main():
    text, tensors = "", {}
    for kind, dtype, numbers, list_of in families():
        x = values(dtype)
        found = list(answers([written(row, *NUMBERS[numbers]) for row in list_of], x))
        for first in range(0, len(found), TOGETHER):
            name = f"{kind}_{SHORT[dtype]}_{numbers}{first // TOGETHER}"
            text += f'def {name}(x: "{SHORT[dtype]}[48]"):\n'
            tensors[f"{name}/in/x"] = x.clone()
            part = found[first : first + TOGETHER]
            for i, (e, y) in enumerate(part):
                text += f"    y{i} = " + re.sub(r"\bF\.", F, e) + "\n"
                tensors[f"{name}/out/{i}"] = y.clone(memory_format=torch.contiguous_format)
            text += f"    return ({', '.join(f'y{i}' for i in range(len(part)))},)\n\n"
    (FOLDER / "numbers.py").write_text("import torch\n\n" + text.rstrip("\n") + "\n")
    save_file(tensors, FOLDER / "numbers.safetensors")


main()
