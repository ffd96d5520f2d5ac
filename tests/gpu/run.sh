#!/bin/sh
# run.sh WHAT [RESULTS]: runs what pack.sh packed, on a machine with a GPU.
#
# WHAT: smoke (one kernel, one replay), replay (all recorded cases, values and gradients), bench (the
# workloads beside PyTorch and JAX, results checked in the same run), sanitize (compute-sanitizer on
# operator cases, bounded), faults (kernels that fail), watch (looking inside kernels), reference (the
# f64 oracle there), or all.
# Logs go to RESULTS, the table is printed last.
what=${1:-all}
here=$(cd "$(dirname "$0")" && pwd)
results=${2:-$here/results}
mkdir -p "$results"
cat "$here"/known_*.md >"$results/known.md"
export LD_LIBRARY_PATH="$here/lib:$LD_LIBRARY_PATH"
export XDG_CACHE_HOME="${XDG_CACHE_HOME:-$here/cache}"
# Libraries of CUDA that came with Python packages.
for folder in $(python3 -c 'import glob, nvidia; print(*glob.glob(list(nvidia.__path__)[0] + "/*/lib"))'); do
    LD_LIBRARY_PATH="$LD_LIBRARY_PATH:$folder"
done
T="$here/thunder-repl"
E=${EXECUTORS:-cudnn,flash,cublaslt,cuda,interp}
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
    timeout "${LIMIT:-150}" "$T" --batch -e "replay --executors $E --known $results/known.md $*" \
        >"$results/replay-$name.log" 2>&1
    rc=$?
    printf '%-22s rc %d  %s  (%d s)\n' "$name" $rc "$(tail -1 "$results/replay-$name.log")" \
        $(($(date +%s) - start))
}

# parts N FOLDER: the files of a folder in N lists, a list on each line.
parts() {
    ls "$2"/*.py | awk -v n="$1" '{line[NR % n] = line[NR % n] " " $0} END {for (i in line) print line[i]}'
}

# Several at a time: most of the time goes into compiling kernels, on the host.
replays() {
    i=0
    for job in ops:8 special:2 promotion:4 thunder:1 models:1 random:2 alias:1 dynamic:1; do
        folder=${job%:*}
        parts "${job#*:}" "$C/$folder" >"$results/list"
        test "${job#*:}" = 1 && echo "$C/$folder" >"$results/list"
        while read -r files; do
            i=$((i + 1))
            replay_one "$folder.$i" "$files" &
        done <"$results/list"
    done
    for folder in thunder models; do
        replay_one "grad-$folder" --grad "$C/$folder" &
    done
    wait
    cat "$results"/replay-*.log | awk '/ passed, / {p += $1; f += $3; s += $5; k += $7}
        END {print "replays: " p " passed, " f " failed, " s " skipped, " k " known"}'
}

smoke() {
    "$T" --batch -e executors
    "$T" --batch -e "executors $E" -e "load $here/bench/programs/gelu_bias_residual_16384x8192_bf16.py" \
        -e "bind --random" -e "bench last --time 1" 2>&1 | tail -12
    replay_one thunder "$C/thunder"
}

sanitized() {
    for op in add gelu nn_functional_gelu softmax nn_functional_layer_norm sum var_mean amax cat \
        nn_functional_scaled_dot_product_attention \
        nn_functional_embedding nn_functional_cross_entropy transpose where cumsum; do
        test -f "$C/ops/$op.py" && printf '%s ' "$C/ops/$op.py"
    done
}

sanitize() {
    for tool in memcheck racecheck; do
        timeout "${LIMIT:-120}" compute-sanitizer --tool $tool --error-exitcode 9 \
            "$T" --batch -e "replay --executors $E ${SANITIZE:-$C/thunder $(sanitized)}" >"$results/$tool.log" 2>&1
        printf '%-22s rc %d  %s\n' $tool $? "$(grep SUMMARY "$results/$tool.log" | tail -1)"
    done
}

# Commands typed at the prompt, one after the other whatever each says.
typed() {
    python3 "$here/typed.py" "$T" "$@"
}

# A kernel that writes where it may not, and one that never ends: each is named, and after `restart`
# the session goes on, in a new process, with its programs and its tensors.
faults() {
    program="$results/small.py"
    printf '%s\n' 'def f(x: "f32[512, 1024]", y: "f32[512, 1024]"):' '    a = torch.exp(x) + y' \
        '    b = torch.sum(a * x, 1)' '    return (a, b)' >"$program"
    set -- -e "executors $E" -e "load $program" -e "bind --random" -e "run last -q"
    "$T" --batch "$@" -e "kernel cudaFusion0" 2>/dev/null | sed -n '/extern/,$p' >"$results/good.cu"
    sed 's/\(store<[0-9]*>(out0 + \)/\1(1ll << 43) + /' "$results/good.cu" >"$results/bad.cu"
    sed 's/^ *int &bad = \*error;/&\n    while (*(volatile int *)error == 0) { }/' "$results/good.cu" \
        >"$results/endless.cu"
    "$T" --batch "$@" -e "kernel cudaFusion0 edit $results/good.cu" >"$results/edit.log" 2>&1
    printf '%-22s rc %d  %s\n' edit $? "$(tail -n 1 "$results/edit.log")"
    for kind in bad endless; do
        typed "executors $E" "option kernel.timeout 3" "load $program" "bind --random" "run last -q" \
            "kernel cudaFusion0 edit $results/$kind.cu" restart "run last -q" "print %b.sum()" \
            "bench last --time 0.1" quit >"$results/fault-$kind.log" 2>&1
        printf '%-22s rc %d  %s | %s\n' "$kind kernel" $? \
            "$(grep -m1 error "$results/fault-$kind.log")" "$(grep median "$results/fault-$kind.log")"
    done
}

# Watchpoints inside kernels, and every kernel of the thunder cases with its inner values written out.
watch() {
    program="$results/watched.py"
    printf '%s\n' 'def f(x: "f32[512, 1024]", y: "f32[512, 1024]"):' '    a = torch.log(x)' \
        '    b = torch.exp(a) * y' '    c = torch.where(x > 0, b, y)' \
        '    return (c, torch.sum(c * 2.0, 1))' >"$program"
    "$T" --batch -e "executors $E" -e "load $program" -e "bind --random" -e "watch nan" \
        -e "run last" >"$results/watch.log" 2>&1
    printf '%-22s rc %d  %s\n' watch $? "$(grep -m1 -i 'nan' "$results/watch.log")"
    replay_one probe --probe "$C/thunder" "$C/models"
}

reference() {
    for file in "$C"/models/nanogpt.dynamo.py "$C"/models/hf_llama.dynamo.py "$C"/models/cnn.dynamo.py \
        "$C"/models/moe.dynamo.py "$C"/models/hf_bert.dynamo.py "$C"/thunder/*.fw00.py; do
        test -f "$file" || continue
        printf '%-28s %s\n' "$(basename "$file")" "$(timeout 60 "$T" --batch -e "executors $E" \
            -e "load $file" -e "lua $here/reference.lua" 2>&1 | tail -1)"
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
faults) faults ;;
watch) watch ;;
reference) reference ;;
all) replays; reference; faults; watch; bench; sanitize ;;
*) sed -n '2,8s/^# //p' "$0"; exit 2 ;;
esac
