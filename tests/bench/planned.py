"""Planned memory against its lower bound, with and without places over operands: a table for docs/performance.md.

usage: python3 planned.py [--training] THUNDER-REPL PROGRAM.py...
--training: each program twice, as loaded and with `grad all`; else with gradients where its name says fwdbwd.
The figures are those of the rule `lifetimes -> offsets` of pass plan."""
import os, re, subprocess, sys

RULE = re.compile(r"lifetimes -> offsets: (\d+) temporar\w+ in (\d+) bytes; no placement needs less than (\d+)")


def planned(program, file, gradients, in_place):
    commands = ["executors onednn,c,interp", "option plan.in_place " + in_place, "load " + file]
    commands += ["grad all"] if gradients else []
    commands += ["goto dce.2", "step 9999"]
    line = [program, "--batch"]
    for c in commands:
        line += ["-e", c]
    out = subprocess.run(line, capture_output=True, text=True)
    found = RULE.search(" ".join((out.stdout + out.stderr).split()))
    if not found:
        sys.exit(f"{file}: {out.stderr.strip()[-300:]}")
    return [int(n) for n in found.groups()]


def size(n):
    return f"{n / 1024:.1f} KiB" if n < 1 << 20 else f"{n / (1 << 20):,.1f} MiB"


def over(n, bound):
    return f"{100 * (n - bound) / max(bound, 1):.2f}%"


def main():
    arguments = sys.argv[1:]
    twice = "--training" in arguments
    program, *files = [a for a in arguments if a != "--training"]
    print("| program | temporaries | planned | above bound | in place: items | planned | above bound | less |")
    print("|---|---|---|---|---|---|---|---|")
    for file in files:
        name = os.path.basename(file).split(".")[0]
        for gradients in ([False, True] if twice else ["fwdbwd" in name]):
            n, bytes_, bound = planned(program, file, gradients, "off")
            m, less, low = planned(program, file, gradients, "on")
            label = name + (", training" if twice and gradients else "")
            print(f"| {label} | {n} | {size(bytes_)} | {over(bytes_, bound)} | {m} | {size(less)} | "
                  f"{over(less, low)} | {100 * (1 - less / max(bytes_, 1)):.1f}% |")


main()
