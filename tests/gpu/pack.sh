#!/bin/sh
# pack.sh BUILD CASES BENCH OUT: one folder for a GPU machine without development packages.
#
# BUILD holds thunder-repl, CASES recorded programs for `replay`, BENCH the workloads (programs/,
# workloads.py, peers.py). OUT gets pack.tar.gz with the binary, the shared libraries that it needs
# but those of every machine, the cases and the scripts of this folder. There:
#     tar xzf pack.tar.gz && sh gpu/run.sh smoke|replay|bench|sanitize|all [RESULTS]
set -e
build=$1 cases=$2 bench=$3 out=$4
here=$(cd "$(dirname "$0")" && pwd)
test -x "$build/thunder-repl" && test -d "$cases" && test -d "$bench" && test -n "$out" || {
    sed -n '2,8s/^# //p' "$0"
    exit 2
}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/gpu/lib" "$out"
cp "$build/thunder-repl" "$work/gpu/"
strip -g "$work/gpu/thunder-repl"
ldd "$build/thunder-repl" | awk '$3 ~ /^\// {print $3}' |
    grep -vE '/(libc|libm|libpthread|libdl|librt|libgcc_s|libstdc\+\+)\.so' |
    while read -r lib; do cp -L "$lib" "$work/gpu/lib/"; done
cp "$here"/*.sh "$here"/*.py "$here"/*.lua "$here"/*.md "$here/../known_differences.md" "$work/gpu/"
for file in train_step.lua join.lua adamw.py tiny_gpt.py; do
    cp "$here/../../examples/$file" "$work/gpu/"
done
cp -r "$cases" "$work/gpu/cases"
cp -r "$bench" "$work/gpu/bench"
chmod -R u+w "$work"
tar czf "$out/pack.tar.gz" -C "$work" gpu
ls -l "$out/pack.tar.gz"
