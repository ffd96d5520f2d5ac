"""Writes random programs of what models do (random_programs.py) with PyTorch's results, for `replay`.

    python3 tests/record_random.py OUT.py --seed 1 --programs 40 --kind models --scale small

OUT.safetensors has inputs, outputs, final values of inputs that changed, cotangents and gradients of the floating inputs. A
result is recorded where it says something: each program runs again with every operator's result moved by a unit in its last
place, and what that moves by more than half of the tolerance is not returned (a gradient: not recorded). Needs torch and safetensors.
"""
import argparse
import functools
import pathlib
import re

import torch
from safetensors.torch import save_file
from torch.utils._python_dispatch import TorchDispatchMode

from random_programs import SHORT, EMITTERS, SIZES, generate
from record import gradients

EPSILON = {torch.float64: 2.0 ** -53, torch.float32: 2.0 ** -23, torch.float16: 2.0 ** -10, torch.bfloat16: 2.0 ** -7}
TOLERANCE = {torch.float64: (1e-7, 1e-7), torch.float32: (1.3e-6, 1e-5), torch.float16: (1e-3, 1e-5), torch.bfloat16: (1.6e-2, 1e-5)}


class Shaken(TorchDispatchMode):
    """Moves what an operator computes by up to a unit in the last place; whole numbers and views stay."""

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        out = func(*args, **(kwargs or {}))
        if not any(r.alias_info for r in func._schema.returns):
            for x in out if isinstance(out, (tuple, list)) else (out,):
                if isinstance(x, torch.Tensor) and x.dtype in EPSILON and func is not torch.ops.aten.detach.default:
                    unit = EPSILON[x.dtype] * (2 * torch.rand(x.shape, dtype=torch.float64) - 1)
                    x.copy_(torch.where(x == x.round(), x, (x.double() * (1 + unit)).to(x.dtype)))
        return out


def moved(a, b, loose):
    """Whether b differs from a by more than half of what a comparison allows, `loose` times."""
    if a is None or b is None:
        return (a is None) != (b is None)
    if a.dtype not in TOLERANCE:
        return not torch.equal(a, b)
    rtol, atol = (loose * t / 2 for t in TOLERANCE[a.dtype])
    return not torch.allclose(a.detach().double(), b.detach().double(), rtol, atol, equal_nan=True)


def text_of(p, name, outputs):
    body = "".join(f"    {line}\n" for line in p.lines) + f"    return ({''.join(f'{v}, ' for v in outputs)})\n\n"
    used = [n for n in p.inputs if re.search(rf"\b{n}\b", body)]
    types = ", ".join(f'{n}: "{SHORT[p.inputs[n].dtype]}[{", ".join(map(str, p.inputs[n].shape))}]"' for n in used)
    return f"def {name}({types}):\n{body}", used


def run(function, p, used, shaken):
    """Leaves, arguments (their clones, perhaps changed) and results."""
    leaves = {n: p.inputs[n].clone().requires_grad_(p.inputs[n].is_floating_point()) for n in used}
    args = {n: x.clone() for n, x in leaves.items()}
    if not shaken:
        return leaves, args, function(**args)
    with Shaken():
        return leaves, args, function(**args)


def differentiate(name, function, leaves, results, generator):
    """Cotangents and gradients by name; None where PyTorch has none."""
    wrt = [n for n, x in leaves.items() if x.requires_grad]
    flows = [i for i, r in enumerate(results) if r.requires_grad]
    if not wrt or not flows:
        return {}
    cots = {i: torch.randn(results[i].shape, generator=generator).to(results[i].dtype) for i in flows}

    def only(**kw):
        again = function(**kw)
        return [again[i] for i in flows]

    try:
        got = gradients(name, only, leaves, wrt, [results[i] for i in flows], list(cots.values()))
    except (RuntimeError, TypeError, AssertionError, AttributeError):
        return None
    return {f"cot/{i}": c for i, c in cots.items()} | {f"grad/{n}": g for n, g in zip(wrt, got) if g is not None}


def choose(p):
    """What is returned: the values that nothing reads, and some of the others."""
    unread = [v for v in p.values if v not in p.inputs and len(re.findall(rf"\b{v}\b", "\n".join(p.lines))) == 1]
    others = p.rng.sample(p.values, min(2, len(p.values)))
    return list(dict.fromkeys(unread[-10:] + others))


def compiled(text, name):
    names = {"torch": torch, "inf": float("inf"), "nan": float("nan")}
    exec(text, names)
    return names[name]


def record(p, name, loose):
    """Text and tensors of a program, or None when it has nothing to say."""
    outputs = choose(p)
    for again in range(2):
        text, used = text_of(p, name, outputs)
        function = compiled(text, name)
        try:
            leaves, args, results = run(function, p, used, False)
            shaken = [run(function, p, used, True) for _ in range(3)]
        except RuntimeError:
            return None
        steady = [v for i, v in enumerate(outputs) if not any(moved(results[i], s[2][i], loose) for s in shaken)]
        changed = [n for n in used if not torch.equal(args[n], leaves[n])]
        if not steady or any(moved(args[n], s[1][n], loose) for n in changed for s in shaken):
            return None
        if steady == outputs:
            break
        outputs = steady
    else:
        return None
    found = {f"in/{n}": leaves[n] for n in used} | {f"mutated/{n}": args[n] for n in changed}
    found |= {f"out/{i}": r for i, r in enumerate(results)}
    return text, found | steady_gradients(p, name, function, used, leaves, results, loose)


def steady_gradients(p, name, function, used, leaves, results, loose):
    mark = torch.Generator().manual_seed(7)
    found = differentiate(name, function, leaves, results, mark) or {}
    for _ in range(2):
        again, _, shaken = run(function, p, used, True)
        with Shaken():
            other = differentiate(name, function, again, shaken, torch.Generator().manual_seed(7)) or {}
        found = {n: x for n, x in found.items() if n in other and not (
            n.startswith("grad/") and moved(x, other[n], 10 * loose))}
    return found if any(n.startswith("grad/") for n in found) else {}


def main():
    options = argparse.ArgumentParser()
    options.add_argument("out")
    for name, default in (("seed", 1), ("programs", 40), ("statements", 12), ("loose", 1)):
        options.add_argument("--" + name, type=int, default=default)
    options.add_argument("--kind", choices=EMITTERS, default="all")
    options.add_argument("--scale", choices=SIZES, default="small")
    o = options.parse_args()
    text, tensors, kept = "import torch\nfrom math import inf, nan\n\n", {}, 0
    for number in range(o.programs):
        seed = o.seed * 1000 + number
        torch.manual_seed(seed)
        p = generate(seed, o.kind, o.scale, o.statements)
        found = record(p, f"case{seed}", o.loose) if p.lines else None
        if found:
            text, kept = text + found[0], kept + 1
            tensors |= {f"case{seed}/{n}": x for n, x in found[1].items()}
    out = pathlib.Path(o.out)
    out.write_text(text.rstrip("\n") + "\n")
    save_file({n: x.detach().clone().contiguous() for n, x in tensors.items()}, out.with_suffix(".safetensors"))
    print(f"{kept} of {o.programs} programs, {sum('/grad/' in n for n in tensors)} gradients")


main()
