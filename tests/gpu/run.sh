#!/bin/sh
# run.sh WHAT [RESULTS]: runs what pack.sh packed, on a machine with a GPU.
#
# WHAT: smoke (one kernel, one replay), replay (all recorded cases, values and gradients), bench (the
# workloads beside PyTorch and JAX, results checked in the same run), sanitize (compute-sanitizer on
# operator cases, bounded), or all. Logs go to RESULTS, the table is printed last.
what=${1:-all}
here=$(cd "$(dirname "$0")" && pwd)
results=${2:-$here/results}
mkdir -p "$results"
export LD_LIBRARY_PATH="$here/lib:$LD_LIBRARY_PATH"
export XDG_CACHE_HOME="${XDG_CACHE_HOME:-$here/cache}"
# Libraries of CUDA that came with Python packages.
for folder in $(python3 -c 'import glob, nvidia; print(*glob.glob(list(nvidia.__path__)[0] + "/*/lib"))'); do
    LD_LIBRARY_PATH="$LD_LIBRARY_PATH:$folder"
done
T="$here/thunder-repl"
E=${EXECUTORS:-cudnn,cublaslt,cuda,interp}
C="$here/cases"

versions() {
    date -u
    nvidia-smi --query-gpu=name,driver_version,memory.total --format=csv,noheader
    python3 -c 'import torch; print("torch", torch.__version__)'
}

# replay_one NAME OPTIONS... PATH: a line with the last line that replay prints, and the seconds.
replay_one() {
    name=$1
    shift
    start=$(date +%s)
    timeout "${LIMIT:-150}" "$T" --batch -e "replay --executors $E --known $here/known_differences.md $*" \
        >"$results/replay-$name.log" 2>&1
    rc=$?
    printf '%-22s rc %d  %s  (%d s)\n' "$name" $rc "$(tail -1 "$results/replay-$name.log")" \
        $(($(date +%s) - start))
}

replays() {
    for folder in thunder models ops special promotion random alias dynamic; do
        replay_one "$folder" "$C/$folder"
    done
    for folder in thunder models; do
        replay_one "grad-$folder" --grad "$C/$folder"
    done
}

smoke() {
    "$T" --batch -e executors
    "$T" --batch -e "executors $E" -e "load $here/bench/programs/gelu_bias_residual_16384x8192_bf16.py" \
        -e "bind --random" -e "bench last --time 1" 2>&1 | tail -12
    replay_one thunder "$C/thunder"
}

sanitize() {
    for tool in memcheck racecheck; do
        timeout "${LIMIT:-120}" compute-sanitizer --tool $tool --error-exitcode 9 \
            "$T" --batch -e "replay --executors $E ${SANITIZE:-$C/thunder}" >"$results/$tool.log" 2>&1
        printf '%-22s rc %d  %s\n' $tool $? "$(grep -E 'ERROR SUMMARY' "$results/$tool.log" | tail -1)"
    done
}

bench() {
    python3 "$here/bench.py" "$here" "$results"
}

versions
case $what in
smoke) smoke ;;
replay) replays ;;
bench) bench ;;
sanitize) sanitize ;;
all) replays; bench; sanitize ;;
*) sed -n '2,7s/^# //p' "$0"; exit 2 ;;
esac
