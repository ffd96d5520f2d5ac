#!/bin/sh
# demo.sh - installs what is needed, builds, and runs the main job on an example: load a graph that
# PyTorch printed, step through its stages, run it, compare stages, draw it.
set -u
cd "$(dirname "$0")/.." || exit 2
. scripts/packages.sh

install_packages || exit 1
configure build -DCMAKE_BUILD_TYPE=Release || exit 1
cmake --build build -j "$(nproc)" --target thunder-repl >build/build.log 2>&1 || {
    grep -E 'error|FAILED' build/build.log | head -40
    exit 1
}

# Each command is shown as it would stand at the prompt, with what it answers below.
exec scripts/session.sh <<'END'
load examples/attention.py
stages
list
step
why %q
next 4
diff
bind --random 7
run
compare acquired last
graph
graph build/attention.svg
lua examples/silu.lua
END
