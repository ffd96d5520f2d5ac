"""Our side and PyTorch's on the CPU workloads, alternating in one run on one machine: a table for docs/performance.md.

usage: python3 peers.py BENCH-FOLDER [THUNDER-REPL] [--rounds N] [--only NAME,NAME] [--executors LIST] [--threads N] [--ours]
BENCH-FOLDER holds peers.py, workloads.py and programs/; the python that runs this needs PyTorch (but for --ours).
Each round times every workload with eager, with torch.compile and with `bench --json`, one after the other; the
figure of each side is the best of its medians, so that what else the machine does weighs on none of them alone.
Two ceilings: copies of the workload's own bytes in its own mix of reads and writes, by the faster of two ways, beside
its runs (`bench`), and what a copy of 256 MB reaches in the peers' process (peers.py, the fastest of the rounds)."""
import argparse, json, math, os, re, subprocess, sys, tempfile

here = os.path.dirname(os.path.abspath(__file__))
args = argparse.ArgumentParser()
args.add_argument("folder")
args.add_argument("program", nargs="?", default=os.path.join(here, "../../build/thunder-repl"))
args.add_argument("--rounds", type=int, default=3)
args.add_argument("--only", default="")
args.add_argument("--executors", default="onednn,c,interp")
args.add_argument("--threads", type=int, default=0, help="of both sides; 0 = as many as each takes")
args.add_argument("--ours", action="store_true")
opt = args.parse_args()
if opt.threads:
    os.environ["OMP_NUM_THREADS"] = str(opt.threads)


def workloads():
    manifest = json.load(open(os.path.join(opt.folder, "programs/manifest.json")))
    for name, row in sorted(manifest.items()):
        if row["device"] == "cpu" and (not opt.only or any(o in name for o in opt.only.split(","))):
            yield name, row


def bench_ours(name, row, cache):
    commands = [f"option kernel.cache {cache}", f"executors {opt.executors}"]
    commands.append("load " + os.path.join(opt.folder, "programs", row["file"]))
    if "gradients" in row["mode"]:
        commands += ["option joint.cotangents " + ("given" if "cotangent" in row else "ones"), "grad all"]
    commands += ["bind --random 1", "bench last --json"]
    line = [opt.program, "--batch", "--json"]
    for c in commands:
        line += ["-e", c]
    out = subprocess.run(line, capture_output=True, text=True)
    for text in out.stdout.splitlines():
        if '"kind":"bench"' in text:
            return json.loads(text)
    sys.stderr.write(f"{name}: {out.stderr}\n")
    return None


def bench_peers(name):
    line = [sys.executable, os.path.join(opt.folder, "peers.py"), "cpu", "--only", name, "--peers", "eager,compile"]
    out = subprocess.run(line, capture_output=True, text=True, cwd=opt.folder,
                         env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"})
    rows = [json.loads(t) for t in out.stdout.splitlines() if t.startswith("{")]
    if len(rows) < 2 or "error" in rows[1]:
        sys.stderr.write(f"{name}: {rows[1]['error'] if len(rows) > 1 else out.stderr[-300:]}\n")
    return (rows[0] if rows else {}), (rows[1] if len(rows) > 1 else {})


def least(best, key, value):
    if value is not None:
        best[key] = min(best.get(key, math.inf), value)


def short(name):
    return re.sub(r"^cpu_|_f32$", "", name)


def main():
    best, info = {}, {}
    with tempfile.TemporaryDirectory() as cache:
        for r in range(opt.rounds):
            for name, row in workloads():
                b = best.setdefault(name, {})
                if not opt.ours:
                    head, peer = bench_peers(name)
                    info.update(head)
                    least(b, "eager", peer.get("eager_ms"))
                    least(b, "compile", peer.get("compile_ms"))
                    copy = head.get("ceilings", {}).get("copy_GBps", 0)
                    b["copy"] = max(b.get("copy", 0), copy)
                mine = bench_ours(name, row, cache)
                if mine:
                    least(b, "ours", mine["median_ms"])
                    b["gb"], b["pct_copy"] = mine["gb"], mine.get("pct_copy")
                sys.stderr.write(f"round {r + 1} {short(name)} {b}\n")
    print("| workload | eager ms | compile ms | ours ms | times the better peer | of own copies | of PyTorch's copy |")
    print("|---|---|---|---|---|---|---|")
    ratios = []
    for name, b in best.items():
        peer = min(b.get("eager", math.inf), b.get("compile", math.inf))
        ratio = peer / b["ours"] if "ours" in b and peer < math.inf else None
        if ratio:
            ratios.append(ratio)
        cell = lambda k: f"{b[k]:.3f}" if k in b else "-"
        share = f"{b['pct_copy']:.0f} %" if b.get("pct_copy") else "-"
        theirs = f"{b['gb'] / b['ours'] * 1e5 / b['copy']:.0f} %" if b.get("copy") and "ours" in b else "-"
        print(f"| {short(name)} | {cell('eager')} | {cell('compile')} | {cell('ours')} | "
              f"{f'{ratio:.2f}' if ratio else '-'} | {share} | {theirs} |")
    if ratios:
        mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
        slower = sum(r < 1 for r in ratios)
        print(f"\nGeometric mean {mean:.2f} over {len(ratios)} workloads; slower on {slower}. PyTorch "
              f"{info.get('torch')}, {info.get('threads')} threads, {opt.rounds} rounds, best medians.")


main()
