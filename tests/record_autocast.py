"""Records the dtypes that PyTorch gives under autocast, for tests/autocast_dtypes.lua.

    python3 tests/record_autocast.py

Every program of tests/cases/lang/samples*.py runs on the CPU, and on tensors without data as if on a GPU, with its f32
inputs in three ways: `wide` (all f32), `low` (all f16 on CUDA, bf16 on the CPU), `mixed` (the first f32, the others low).
Writes tests/cases/autocast_dtypes.txt: device, program, way, dtypes of the floating results; what PyTorch refuses has no
line. Needs torch.
"""
import re
import pathlib

import torch
from torch._subclasses.fake_tensor import FakeTensorMode

HERE = pathlib.Path(__file__).parent / "cases"
DTYPES = {"f32": torch.float32, "f16": torch.float16, "bf16": torch.bfloat16, "f64": torch.float64, "i64": torch.int64,
          "i32": torch.int32, "u8": torch.uint8, "b8": torch.bool, "c64": torch.complex64, "c128": torch.complex128}
NAMES = {v: k for k, v in DTYPES.items()}
LOW = {"cuda": "f16", "cpu": "bf16"}


def make(annotation, device):
    dtype, sizes = re.fullmatch(r"(\w+)\[(.*)\]", annotation).groups()
    shape = [int(s) for s in sizes.split(",")] if sizes else []
    return torch.zeros(shape, dtype=DTYPES[dtype], device=device)


def run(text, function, device, way):
    seen = [0]

    def replaced(m):
        seen[0] += 1
        return f'"{LOW[device]}[' if way == "low" or (way == "mixed" and seen[0] > 1) else m.group(0)

    head, body = text.split("\n", 1)
    head = re.sub(r'"f32\[', replaced, head)
    if seen[0] < (2 if way == "mixed" else 1):
        return None
    scope = {"torch": torch, "inf": float("inf"), "nan": float("nan")}
    exec(re.sub(r': "[^"]*"', "", head) + "\n" + body, scope)
    inputs = [make(a, device) for a in re.findall(r': "([^"]*)"', head)]
    results = scope[function](*inputs)
    leaves = torch.utils._pytree.tree_leaves(results)
    return [NAMES[t.dtype] for t in leaves if isinstance(t, torch.Tensor) and t.dtype.is_floating_point]


def main():
    lines = []
    for device in ("cuda", "cpu"):
        torch.set_autocast_enabled(device, True)
        torch.set_autocast_dtype(device, DTYPES[LOW[device]])
        for path in (HERE / "lang" / "samples.py", HERE / "lang" / "samples_more.py"):
            for text in re.findall(r"^def .*?(?=^def |\Z)", path.read_text(), re.M | re.S):
                function = re.match(r"def (\w+)", text).group(1)
                for way in ("wide", "low", "mixed"):
                    try:
                        with FakeTensorMode() if device == "cuda" else torch.no_grad():
                            dtypes = run(text, function, device, way)
                    except Exception:
                        continue
                    torch.clear_autocast_cache()
                    if dtypes:
                        lines.append(f"{device} {function} {way} {' '.join(dtypes)}\n")
        torch.set_autocast_enabled(device, False)
    (HERE / "autocast_dtypes.txt").write_text("".join(lines))
    print(len(lines), "lines")


main()
