"""bench.py HERE RESULTS: the GPU workloads, ours beside the peers, results checked, one table.

HERE is the folder that pack.sh packed. For each program of bench/programs the inputs are drawn by
PyTorch, the program's own text is run by PyTorch in higher precision as the reference, our binary
times it on the same tensors and saves its results, and the norm of the difference over the norm of
the reference is shown, beside that of PyTorch in the program's own dtypes. Environment: ONLY=NAME,... chooses workloads; PEERS (as of
peers.py; "" = none) are timed in a run of their own; ROWS=FILE reads them from an earlier one; ORACLE=1
checks our f64 reference on the device instead, against PyTorch in f64, and times nothing.
"""
import json, os, subprocess, sys, tempfile, time
import torch
from safetensors.torch import load_file, save_file

here, results = sys.argv[1], sys.argv[2]
programs = os.path.join(here, "bench", "programs")
manifest = json.load(open(os.path.join(programs, "manifest.json")))
only = [n for n in os.environ.get("ONLY", "").split(",") if n]
peers = os.environ.get("PEERS", "eager,compile,graphs")
executors = os.environ.get("EXECUTORS", "cudnn,flash,cublaslt,cuda,interp")
seconds = os.environ.get("SECONDS_EACH", "0.3")
folder = tempfile.TemporaryDirectory(dir="/dev/shm")  # several may run at a time
shm = folder.name
torch.backends.cuda.matmul.allow_tf32 = False
wide = {"sdpa", "gpt", "llama", "linear", "swiglu", "decode", "launch", "cross", "adamw"}
oracle = bool(os.environ.get("ORACLE"))
attention = torch._C._nn.scaled_dot_product_attention


def exact_attention(q, k, v, *args, **kw):
    """Programs cast to bf16 before attention: the reference goes on in its own precision."""
    kind = v.dtype if v.dtype != torch.bfloat16 else torch.float32
    return attention(q.to(kind), k.to(kind), v.to(kind), *args, **kw)


def module_of(name):
    """The program's forward as a function of tensors, with its parameters by name and type."""
    scope = {"torch": torch, "device": torch.device, "inf": float("inf"), "nan": float("nan")}
    exec(open(os.path.join(programs, name + ".py")).read(), scope)
    forward = scope["GraphModule"].forward
    return forward, forward.__annotations__


def draw(name, arg, text):
    """A tensor for an argument annotated as "bf16[4, 8]cuda:0", of a kind that its name tells."""
    dtype, shape = text.split("[")[0], text.split("[")[1].split("]")[0]
    shape = [int(n) for n in shape.split(",") if n.strip()]
    kinds = {"bf16": torch.bfloat16, "f16": torch.float16, "f32": torch.float32, "f64": torch.float64}
    if dtype not in kinds:
        return torch.randint(0, 50304, shape, device="cuda")
    x = torch.randn(shape, device="cuda", dtype=torch.float32)
    small = any(w in name for w in ("swiglu", "linear_bias", "decode"))
    if "parameters" in arg and len(shape) > 1 and "launch" not in name or small and len(shape) > 1:
        x *= 0.02
    elif "parameters" in arg and len(shape) == 1:
        x = 0.02 * x + (1 if "bias" not in arg else 0)
    elif "launch" in name and "parameters" in arg:
        x *= 0.17
    if name.startswith("adamw") and arg == "L_v_":
        x = x.abs()
    return x.to(kinds[dtype])


def by_torch(name, forward, inputs, cotangent, wrt, kind):
    """Results and gradients by PyTorch, computed in kind (None: in the program's own dtypes)."""
    high = {k: v.to(kind or v.dtype) if v.is_floating_point() else v for k, v in inputs.items()}
    high = {k: v.detach().clone() if k in wrt else v for k, v in high.items()}
    for k in wrt:
        high[k].requires_grad_(True)
    torch._C._nn.scaled_dot_product_attention = exact_attention if kind else attention
    with torch.set_grad_enabled(bool(wrt)):
        out = forward(None, **high)
    torch._C._nn.scaled_dot_product_attention = attention
    out = list(out) if isinstance(out, (tuple, list)) else [out]
    if wrt:
        g = None if cotangent is None else cotangent.to(out[0].dtype)
        out += torch.autograd.grad(out[0], [high[k] for k in wrt], g)
    return [o.detach() for o in out]


def command(name, wrt, files):
    grad = ["-e", "grad " + " ".join(wrt)] if wrt else []
    tune = ["-e", "option kernel.tune on"] if os.environ.get("TUNE") else []
    times = ["-e", "bench last --time " + seconds] if not oracle else ["-e", "lua rounding = 'f64'"]
    return [os.path.join(here, "thunder-repl"), "--json", "--batch", "-e", "executors " + executors,
            *tune, "-e", "load " + os.path.join(programs, name + ".py"), *grad,
            "-e", f"bind {files[0]}", *times,
            "-e", f"lua file_in, file_out, stage = '{files[0]}', '{files[1]}', 'last'",
            "-e", "lua " + os.path.join(here, "check.lua")]


def errors(ours, refs):
    worst = 0.0
    for i, ref in enumerate(refs):
        a, b = ours.get(f"o{i}"), ref.double()
        if a is None:
            return float("nan")
        a = a.cuda().double().reshape(b.shape)
        worst = max(worst, ((a - b).norm() / b.norm().clamp_min(1e-30)).item())
        if not torch.isfinite(a).all():
            return float("nan")
    return worst


def one(name, info):
    torch.manual_seed(0)
    forward, types = module_of(name)
    inputs = {k: draw(name, k, v) for k, v in types.items()}
    grads = "gradients" in info["mode"]
    wrt = [k for k, v in inputs.items() if v.is_floating_point()] if grads else []
    if "but" in info.get("wrt", ""):
        wrt = [k for k in wrt if k not in ("L_c_", "L_n_")]
    cot = None
    if "cotangent" in info:
        with torch.no_grad():
            out = forward(None, **inputs)
        cot = torch.randn_like(out[0] if isinstance(out, (tuple, list)) else out)
    kind = torch.float64 if oracle or not any(w in name for w in wide) else torch.float32
    refs = by_torch(name, forward, inputs, cot, wrt, kind)
    eager = by_torch(name, forward, inputs, cot, wrt, None)
    eager = errors({f"o{i}": e for i, e in enumerate(eager)}, refs)
    files = [os.path.join(shm, "in.safetensors"), os.path.join(shm, "out.safetensors")]
    give = {k: v.cpu().contiguous() for k, v in inputs.items()}
    if cot is not None:
        give["cot_0"] = cot.cpu().contiguous()
    save_file(give, files[0])
    del inputs, give
    refs = [r.cpu() for r in refs]
    torch.cuda.empty_cache()
    start = time.time()
    run = subprocess.run(command(name, wrt, files), capture_output=True, text=True, timeout=150)
    log = open(os.path.join(results, "bench.log"), "a")
    log.write(f"== {name}\n{run.stdout}\n{run.stderr}\n")
    row = {"name": name, "s": round(time.time() - start, 2), "eager_error": eager}
    for line in run.stdout.splitlines():
        if line.startswith("{") and json.loads(line).get("kind") == "bench":
            row.update(json.loads(line))
            row["name"] = name
    if run.returncode == 0:
        row["error"] = errors(load_file(files[1]), [r.cuda() for r in refs])
    else:
        row["failed"] = (run.stderr + run.stdout)[-300:]
    return row


def time_peers(which, names, seconds_at_most):
    """Lines of peers.py; those it had written when its time was up count."""
    cmd = [sys.executable, "peers.py", "cuda", "--peers", which]
    cmd += ["--only", ",".join(names)] if names else []
    with open(os.path.join(results, "peers.jsonl"), "a+") as out:
        start = out.tell()
        try:
            subprocess.run(cmd, cwd=os.path.join(here, "bench"), stdout=out,
                           stderr=subprocess.DEVNULL, timeout=seconds_at_most)
        except subprocess.TimeoutExpired:
            print(f"peers {which}: out of time", flush=True)
        out.seek(start)
        return out.read().splitlines()


def peer_rows():
    if os.environ.get("ROWS"):
        lines = open(os.environ["ROWS"]).read().splitlines()
    else:
        slow = os.environ.get("SLOW_PEERS", "")
        slow_only = [n for n in os.environ.get("SLOW_ONLY", "").split(",") if n]
        lines = time_peers(peers, only, 250) if peers else []
        for kind in slow.split(",") if slow else []:  # each has its own time: autotune needs most of it
            lines += time_peers(kind, slow_only or only, 120)
    rows = [json.loads(line) for line in lines if line.startswith("{")]
    ceilings = next((r for r in rows if "ceilings" in r), None)
    theirs = {}
    for r in rows:
        theirs.setdefault(r.get("name"), {}).update(r)
    return ceilings, theirs


def main():
    ceilings, theirs = peer_rows()
    rows = []
    for name, info in manifest.items():
        if info["device"] != "cuda" or only and not any(o in name for o in only):
            continue
        try:
            row = one(name, info)
        except Exception as e:  # a workload that fails must not hide the others
            row = {"name": name, "failed": f"{type(e).__name__}: {e}"[:300]}
        rows.append(row)
        print(json.dumps(row)[:600], flush=True)
    open(os.path.join(results, "ours.jsonl"), "w").write("\n".join(json.dumps(r) for r in rows))
    print(json.dumps(ceilings))
    kinds = ["eager", "compile", "graphs", "autotune", "jax"]
    kinds = [k for k in kinds if any(k + "_ms" in t for t in theirs.values())]
    print("| workload | ours | " + "".join(k + " | " for k in kinds) + "times the best peer | "
          "GB/s | TFLOP/s | error | eager's | first |")
    print("|---|" + "---:|" * (len(kinds) + 7))
    product, count = 1.0, 0
    for r in rows:
        p = {k[:-3]: v for k, v in theirs.get(r["name"], {}).items() if k.endswith("_ms")}
        best = min(p, key=p.get) if p else None
        ours = r.get("median_ms")
        if ours is None:
            said = f"failed: {r['failed'][-120:]!r}" if "failed" in r else f"{r['error']:.1e}"
            print(f"| {r['name']} | {said} |")
            continue
        peer = "".join(f"{p[k]:.3f} | " if k in p else "- | " for k in kinds)
        ratio = f"{p[best] / ours:.2f}" if best else "-"
        if best:
            product, count = product * p[best] / ours, count + 1
        print(f"| {r['name']} | {ours:.3f} | {peer}{ratio} | {r['gb_s']:.0f} | "
              f"{r['tflop_s']:.0f} | {r.get('error', float('nan')):.1e} | "
              f"{r['eager_error']:.1e} | {r['first_s']:.2f} |")
    if count:
        print(f"geometric mean over {count} workloads: {product ** (1 / count):.3f}")


main()
