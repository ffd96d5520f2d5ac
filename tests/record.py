"""Records PyTorch's results beside a file of programs, for `replay`.

    python3 tests/record.py tests/cases/alias_grad.py

Writes FILE.safetensors: for every function, inputs (seeded, from the annotations), outputs, cotangents, gradients of the
floating inputs and the final value of those that the function changed. Inputs are clones of the leaves, since PyTorch
refuses to change a leaf in place. Needs torch and safetensors.
"""
import importlib.util
import inspect
import re
import sys

import torch
from safetensors.torch import save_file
from torch.fx.experimental.proxy_tensor import make_fx

DTYPES = {"f64": torch.float64, "f32": torch.float32, "bf16": torch.bfloat16, "i64": torch.int64, "b8": torch.bool}


def make(name, annotation, generator):
    dtype, sizes = re.fullmatch(r"(\w+)\[(.*)\]", annotation).groups()
    shape = [int(s) for s in sizes.split(",")] if sizes else []
    if dtype == "b8":
        return torch.rand(shape, generator=generator) < 0.4
    if dtype == "i64":
        return torch.randint(0, 4, shape, generator=generator)
    t = torch.randn(shape, generator=generator)
    return (t.abs() + 0.5 if name == "var" else t).to(DTYPES[dtype])


def record(case, function, out):
    generator = torch.Generator().manual_seed(1 + int(re.sub(r"\D", "", case)))
    leaves = {n: make(n, p.annotation, generator) for n, p in inspect.signature(function).parameters.items()}
    if "i" in leaves and "accumulate" not in inspect.getsource(function):
        leaves["i"] = distinct(leaves["i"])
    wrt = [n for n, t in leaves.items() if t.is_floating_point() and n not in ("mean", "var")]
    for n in wrt:
        leaves[n].requires_grad_()
    keep = "autocast" in inspect.getsource(function)  # which shares casts of leaves, and of nothing else
    args = {n: t if keep else t.clone() for n, t in leaves.items()}
    results = function(**args)
    cots = [torch.randn(r.shape, generator=generator).to(r.dtype) for r in results]
    grads = gradients(case, function, leaves, wrt, results, cots)
    for n, t in leaves.items():
        out[f"{case}/in/{n}"] = t
        if not torch.equal(t, args[n]):
            out[f"{case}/mutated/{n}"] = args[n]
    for i, r in enumerate(results):
        out[f"{case}/out/{i}"] = r
        out[f"{case}/cot/{i}"] = cots[i]
    for n, g in zip(wrt, grads):
        if g is not None:
            out[f"{case}/grad/{n}"] = g


def gradients(case, function, leaves, wrt, results, cots):
    """Autograd refuses a program that overwrites what a gradient needs; made functional, as torch.compile does, it has one."""
    try:
        return torch.autograd.grad(results, [leaves[n] for n in wrt], cots, allow_unused=True)
    except RuntimeError as e:
        print(f"{case}: made functional first: {str(e)[:60]}")
    functional = torch.func.functionalize(lambda *a: function(**dict(zip(leaves, a))))
    graph = make_fx(functional)(*[t.detach().clone() for t in leaves.values()])
    for node in graph.graph.nodes:
        if node.target is torch.ops.aten.copy_.default:  # writes an input back: not part of the results
            graph.graph.erase_node(node)
    graph.recompile()
    results = graph(*leaves.values())
    return torch.autograd.grad(results, [leaves[n] for n in wrt], cots, allow_unused=True)


def distinct(i):
    """Indices that do not repeat along the last dimension: a repeated write has no defined winner."""
    return torch.argsort(torch.rand(i.shape[:-1] + (4,), generator=torch.Generator().manual_seed(0)))[..., : i.shape[-1]]


def main(path):
    spec = importlib.util.spec_from_file_location("programs", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    out = {}
    for name, function in list(vars(module).items()):
        if re.fullmatch(r"case\d+", name):
            record(name, function, out)
    save_file({k: v.detach().clone().contiguous() for k, v in out.items()}, re.sub(r"\.py$", ".safetensors", path))


if __name__ == "__main__":
    main(sys.argv[1])
