#!/bin/sh
# run.sh WHAT [RESULTS]: runs what pack.sh packed, on a machine with a GPU.
#
# WHAT is one of:
#   smoke      one kernel, one replay
#   replay     all recorded cases: values, gradients of thunder and models
#   grads      gradients of the recorded operators
#   compare    every program of models, each value against the interpreter, with verdicts
#   sanitize   compute-sanitizer, memcheck and racecheck: an operator for each shape of kernel with its
#              gradients, the thunder cases, and the schedules that only large programs get
#   bench      the workloads beside PyTorch and JAX, results checked in the same run
#   faults     kernels that fail: each is named, and `restart` goes on
#   watch      looking inside kernels
#   reference  the f64 oracle there beside the interpreter's
#   recorded   runs that are repeated as graphs, bit for bit those of plain runs: with written inputs,
#              nodes of the host in between, gradients, a step of training; in order and in branches
#   oracle     every statement (fused kernel, library call) of the programs of the benchmarks, with
#              gradients where the workload has them, of models, thunder and the recorded operators
#              (and their gradients): against the f64 oracle on the operands that it had. The large
#              programs run LARGE_JOBS at a time (3), after the others
#   tune       schedules that were chosen by measuring, each value against the oracle
#   memory     how fast tensors move; two programs that are too large (they take all memory)
#   all        all of these but smoke
# Environment: JOBS processes at a time (16), SECONDS_LEFT after which no further one begins, LIMIT
# seconds for one (150), EXECUTORS, BASE the unpacked folder where this script lies elsewhere, T the
# binary; of grads: ONLY "OP..." and THIN "N K", every N-th case from the K-th on; of sanitize: TOOLS,
# SHAPES "SHAPE..." of the list below, or programs, or thunder; of oracle: SAMPLE, how many elements
# of each result it looks at (all of them). A line for each process, then the totals, then every case
# that failed with its reason; what was not begun is told. Logs go to RESULTS.
what=${1:-all}
here=${BASE:-$(cd "$(dirname "$0")" && pwd)}
results=${2:-$here/results}
mkdir -p "$results"
export XDG_CACHE_HOME="${XDG_CACHE_HOME:-$here/cache}"
# Known differences, and libraries of CUDA that came with Python packages: jobs have them from their
# parent. A job that wrote the list anew would cut it short for those that read it just then.
test -n "$END" || {
    cat "$here"/known_*.md >"$results/known.md"
    LD_LIBRARY_PATH="$here/lib:$LD_LIBRARY_PATH"
    for folder in $(python3 -c 'import glob, nvidia; print(*glob.glob(list(nvidia.__path__)[0] + "/*/lib"))'); do
        LD_LIBRARY_PATH="$LD_LIBRARY_PATH:$folder"
    done
    export LD_LIBRARY_PATH
}
T=${T:-$here/thunder-repl}
E=${EXECUTORS:-cudnn,flash,cublaslt,cuda,interp}
C="$here/cases"

versions() {
    date -u
    nvidia-smi --query-gpu=name,driver_version,memory.total --format=csv,noheader
    python3 -c 'import torch; print("torch", torch.__version__)'
}

# Jobs are lines "NAME COMMAND OF THIS SCRIPT ARGUMENTS..."; `begin` runs those of standard input,
# several at a time, since most of the time goes into compiling kernels on the host.
begin() {
    end=$(($(date +%s) + ${SECONDS_LEFT:-36000}))
    xargs -P "${JOBS:-16}" -L 1 env BASE="$here" T="$T" END=$end sh "$0" job "$results"
}

# job NAME COMMAND ARGUMENTS...: runs it, its output in RESULTS/COMMAND-NAME.log; prints the last line.
job() {
    name=$1 command=$2
    shift 2
    log="$results/$command-$name.log" start=$(date +%s)
    left=$((END - start))
    if test $left -le 0; then
        echo "$command $name: not begun: $*" | sed 's|[^ ]*/||g' >"$log"
        return
    fi
    test $left -lt "${LIMIT:-150}" || left=${LIMIT:-150}
    timeout $((left + 5)) env BASE="$here" T="$T" sh "$0" "$command" "$results" "$@" >"$log" 2>&1
    rc=$?
    printf '%-28s rc %d  %s  (%d s)\n' "$command $name" $rc "$(tail -n 1 "$log")" $(($(date +%s) - start))
}

# replay_files OPTIONS AND PATHS: the command `replay` of one process.
replay_files() {
    exec "$T" --batch -e "replay --executors $E --known $results/known.md $*"
}

# deal_to COMMAND NAME N ARGUMENTS: jobs that give a command the files on standard input in N lists.
deal_to() {
    command=$1 name=$2 n=$3
    shift 3
    awk -v n="$n" -v name="$name" -v command="$command" -v how="$*" '{line[NR % n] = line[NR % n] " " $0}
        END {for (i in line) print name "." i, command, how line[i]}'
}

# deal NAME N OPTIONS: the same, that replay them.
deal() {
    deal_to replay_files "$@"
}

# Sums of what the replays counted, and every case that did not pass.
totals() {
    cat "$results"/replay_files-*.log | awk '/ passed, .* failed/ {p += $1; f += $3; s += $5; k += $7}
        END {print "replays: " p " passed, " f " failed, " s " skipped, " k " known"}'
    grep -h ': FAILED\|: skipped: \|error:' "$results"/replay_files-*.log
    grep -h 'not begun' "$results"/*.log
    true
}

replays() {
    {
        ls "$C"/ops/*.py | deal ops 8
        ls "$C"/special/*.py | deal special 2
        ls "$C"/promotion/*.py | deal promotion 4
        ls "$C"/random/*.py | deal random 2
        for folder in thunder models alias dynamic; do
            echo "$folder replay_files $C/$folder"
        done
        for folder in thunder models; do
            echo "grad-$folder replay_files --grad $C/$folder"
        done
    } | begin
    totals
}

# The files named on standard input, or every N-th case of each, in a folder of its own. The function
# without tensors is there because the tensors of a file with one function need not carry its name.
thin() {
    test -n "$THIN" || exec cat
    mkdir -p "$results/thin/ops"
    while read -r file; do
        name=$(basename "$file" .py)
        awk -v n="${THIN% *}" -v from="${THIN#* }" '/^def / {k++} k == 0 || k % n == from % n' "$file" \
            >"$results/thin/ops/$name.py"
        printf 'def none(x: "f32[]"):\n    return x\n' >>"$results/thin/ops/$name.py"
        ln -sf "${file%.py}.safetensors" "$results/thin/ops/$name.safetensors"
        echo "$results/thin/ops/$name.py"
    done
}

# The files of operators that have gradients recorded.
with_gradients() {
    for op in ${ONLY:-$(cd "$C/ops" && grep -la 'grad/' *.safetensors | sed 's/.safetensors$//')}; do
        echo "$C/ops/$op.py"
    done
}

# Those, dealt out finely, since a few of them take most of the time.
grads() {
    with_gradients | thin | deal grad-ops "${BATCHES:-48}" --grad | begin
    totals
}

# compare_one FILE: what `compare` finds between the kernels and the interpreter, in one line.
compare_one() {
    "$T" --batch -e "executors $E" -e "load $1" -e "compare last @interp" >"$results/compared-$(basename "$1").txt" 2>&1
    rc=$?
    awk '/compared|wrong|error/ {print}' "$results/compared-$(basename "$1").txt" | tr '\n' ' ' | cut -c 1-200
    return $rc
}

compares() {
    for file in "$C"/models/*.py "$C"/thunder/*.fw00.py; do
        test -f "${file%.py}.safetensors" && echo "$(basename "$file" .py) compare_one $file"
    done | begin
}

smoke() {
    "$T" --batch -e executors
    "$T" --batch -e "executors $E" -e "load $here/bench/programs/gelu_bias_residual_16384x8192_bf16.py" \
        -e "bind --random" -e "bench last --time 1" 2>&1 | tail -12
    replay_files "$C/thunder" | tail -n 1
}

# Operators that have every shape of generated and ready-made kernel between them and their gradients.
kernel_shapes() {
    cat <<'END'
maps        add where nn_functional_gelu remainder
reductions  sum var_mean amax prod argmax norm
rows        softmax log_softmax logsumexp nn_functional_layer_norm nn_functional_rms_norm
columns     nn_functional_batch_norm nn_functional_group_norm nn_functional_instance_norm
moves       transpose permute cat stack nn_functional_pad__constant nn_functional_pad__reflect roll
gathers     gather index_select take_along_dim __getitem__ tril
scatters    nn_functional_embedding_bag index_add scatter_add index_put scatter_reduce__amax
windows     nn_functional_avg_pool2d nn_functional_max_pool2d nn_functional_unfold
losses      nn_functional_cross_entropy nn_functional_nll_loss nn_functional_kl_div
products    matmul bmm addmm nn_functional_linear nn_functional_conv2d
attention   nn_functional_scaled_dot_product_attention
scans       cumsum cumprod logcumsumexp cummax
sorts       sort topk median
draws       nn_functional_rrelu
END
}

# sanitize_files TOOL OPTIONS AND PATHS: replays under the sanitizer.
sanitize_files() {
    tool=$1
    shift
    compute-sanitizer --tool "$tool" --error-exitcode 9 "$T" --batch \
        -e "replay --executors $E --known $results/known.md $*"
    rc=$?
    echo "sanitized with $tool: rc $rc"
    return $rc
}

# sanitize_program TOOL FILE: one run of a large program, for the schedules that small ones do not get.
sanitize_program() {
    compute-sanitizer --tool "$1" --error-exitcode 9 "$T" --batch -e "executors $E" -e "load $2" \
        -e "bind --random" -e "run last -q"
    rc=$?
    echo "sanitized with $1: rc $rc"
    return $rc
}

# Whether a shape was asked for.
wanted() {
    case " ${SHAPES:-$1} " in *" $1 "*) return 0 ;; *) return 1 ;; esac
}

# What a tool found: racecheck does not follow the barriers of some kernels of the libraries, which it
# names; all else is ours.
findings() {
    awk -v tool="$1" '
        / passed, .* failed/ {cases += $1 + $3 + $7}
        / Race reported between / {if (/ at (nvjet|cudnn|cutlass)/) theirs++; else ours++}
        /ERROR SUMMARY/ {n++; ours += $4}
        /RACECHECK SUMMARY/ {n++}
        END {print tool ": " n " processes, " cases " cases; " ours + 0 " findings in kernels of ours, " \
            theirs + 0 " in those of libraries"}'
}

sanitize() {
    for tool in ${TOOLS:-memcheck racecheck}; do
        for program in softmax_65536x2048_bf16 layernorm_16384x4096_bf16 layernorm_bwd_16384x4096_bf16 \
            colsum_16384x8192_bf16 cross_entropy_8192x50304_bf16_fwdbwd transpose_add_8192x8192_bf16 \
            add_rmsnorm_residual_16384x4096_bf16 launchbound_mlp_20x64_b32_f32 \
            nanogpt124m_fwd_b1t64_bf16 gpt_block_fwdbwd_b16t1024c768_bf16; do
            wanted programs && echo "$tool-$program sanitize_program $tool $here/bench/programs/$program.py"
        done
        kernel_shapes | while read -r shape ops; do
            wanted "$shape" || continue
            files=
            for op in $ops; do
                files="$files $C/ops/$op.py"
            done
            echo "$tool-$shape sanitize_files $tool --grad$files"
        done
        wanted thunder && echo "$tool-thunder sanitize_files $tool --grad $C/thunder"
    done | begin
    for tool in ${TOOLS:-memcheck racecheck}; do
        cat "$results"/sanitize_*-$tool-*.log | findings $tool
    done
    grep -h 'not begun\|: FAILED' "$results"/*.log
    true
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
    printf '%s\n' 'def f(x: "f32[512, 1024]", y: "f32[512, 1024]"):' '    a = torch.log(x - 1000000)' \
        '    b = torch.exp(a) * y' '    c = torch.where(x > 0, b, y)' \
        '    return (c, torch.sum(c * 2.0, 1))' >"$program"
    "$T" --batch -e "executors $E" -e "load $program" -e "bind --random" -e "watch nan" \
        -e "run last" >"$results/watch.log" 2>&1
    grep -m1 '^Watchpoint' "$results/watch.log" | sed 's/^/pass watch: /' | grep . || echo FAIL watch
    {
        echo "probe-thunder replay_files --probe $C/thunder"
        ls "$C"/models/*.py | deal probe-models 8 --probe
    } | begin
    totals
}

reference() {
    for file in "$C"/models/nanogpt.dynamo.py "$C"/models/hf_llama.dynamo.py "$C"/models/cnn.dynamo.py \
        "$C"/models/moe.dynamo.py "$C"/models/hf_bert.dynamo.py "$C"/thunder/*.fw00.py; do
        test -f "$file" || continue
        printf '%-28s %s\n' "$(basename "$file")" "$(timeout 60 "$T" --batch -e "executors $E" \
            -e "load $file" -e "lua $here/reference.lua" 2>&1 | tail -1)"
    done
    ORACLE=1 PEERS="" ONLY=gpt_block_fwdbwd_b16t1024c768_bf16,linear_bias_gelu_8192_bf16 \
        python3 "$here/bench.py" "$here" "$results" | grep '^|'
}

# oracle_one GRADIENTS FILE...: what each.lua finds in their programs.
oracle_one() {
    gradients=$1
    shift
    for file in "$@"; do
        set -- "$@" -e "load $file"
        shift
    done
    exec "$T" --batch -e "executors $E" -e "option fuse.min_work 0" "$@" \
        -e "lua gradients, sample = $gradients, ${SAMPLE:-nil}" -e "lua $here/each.lua"
}

# Programs of the benchmarks for a GPU, few at a time: they are large, and some need most of its memory.
oracle_large() {
    for file in "$here"/bench/programs/*.py; do
        case $file in
        */cpu_*) continue ;;
        *bwd*) gradients=true ;;
        *) gradients=false ;;
        esac
        echo "$(basename "$file" .py) oracle_one $gradients $file"
    done | JOBS=${LARGE_JOBS:-3} begin
}

oracle() {
    {
        for folder in models thunder; do
            for file in "$C/$folder"/*.dynamo.py "$C/$folder"/*.fw00.py; do
                test -f "$file" || continue
                echo "$(basename "$file" .py) oracle_one false $file"
                echo "grad-$(basename "$file" .py) oracle_one true $file"
            done
        done
        ls "$C"/ops/*.py | deal_to oracle_one ops "${BATCHES:-24}" false
        with_gradients | deal_to oracle_one grad-ops "${BATCHES:-48}" true
    } | begin
    oracle_large
    cat "$results"/oracle_one-*.log | awk '/ programs: .* statements checked/ {
            p += $1; n += $3; w += $6; u += $8; f += $11}
        END {print "oracle: " p " programs, " n " statements checked, " w " wrong, " u " not checked; " \
            f " programs failed"}'
    grep -h 'rounding explains\|: not checked: \|could not be checked\|not begun' "$results"/oracle_one-*.log | grep -v '^wrong: '
    true
}

# repeat_one BRANCHES FILE [LUA]: one line of recorded.lua.
repeat_one() {
    branches=$1 file=$2
    shift 2
    exec "$T" --batch -e "executors $E" -e "option graph.branches $branches" \
        -e "lua root, program_file, rounds = '$here', '$file', 3; $*" -e "lua $here/recorded.lua"
}

recorded() {
    for branches in off on; do
        echo "$branches-writes repeat_one $branches $here/writes.py"
        echo "$branches-parts repeat_one $branches $here/parts.py"
        echo "$branches-step repeat_one $branches $here/tiny_gpt.py optimizer=[[adamw]]"
        for file in "$C"/models/hf_gpt2.dynamo.py "$C"/models/hf_llama.dynamo.py \
            "$C"/models/hf_bert.dynamo.py "$C"/models/cnn.dynamo.py "$C"/models/moe.dynamo.py; do
            test -f "$file" || continue
            echo "$branches-$(basename "$file" .py) repeat_one $branches $file gradients=true"
        done
    done | begin
    "$T" --batch -e "executors $E" -e "lua root, program_file = '$here', '$here/tiny_gpt.py'" \
        -e "lua $here/steps.lua" 2>&1 | tail -n 1
}

tune_one() {
    exec "$T" --batch -e "executors $E" -e "option kernel.tune on" -e "load $1" -e "bind --random" \
        -e "run last -q" -e "compare last @f64"
}

tune() {
    for name in nanogpt124m_fwd_b1t64_bf16 launchbound_mlp_20x64_b32_f32; do
        echo "$name tune_one $here/bench/programs/$name.py"
    done | begin
    TUNE=1 PEERS="" SECONDS_EACH=0.1 python3 "$here/bench.py" "$here" "$results"
}

memory() {
    "$T" --batch -e "executors $E" -e "lua program_file = '$here/moves.py'" \
        -e "lua $here/moves.lua" 2>&1 | tail -n 1
    for program in results temporaries; do
        "$T" --batch --keep-going -e "executors $E" -e "load $here/too_large.py" \
            -e "program $program" -e "bind --random" -e "run last -q" -e "load $here/writes.py" \
            -e "bind --random" -e "run last -q" >"$results/large-$program.log" 2>&1
        printf '%-22s %s | %s\n' "$program" "$(grep -m1 '^error' "$results/large-$program.log")" \
            "$(tail -n 1 "$results/large-$program.log")"
    done
}

bench() {
    python3 "$here/bench.py" "$here" "$results"
}

case $what in
job | replay_files | compare_one | sanitize_files | sanitize_program | oracle_one | repeat_one | tune_one) shift 2; $what "$@"; exit ;;
esac
versions
case $what in
smoke) smoke ;;
replay) replays ;;
grads) grads ;;
compare) compares ;;
bench) bench ;;
sanitize) sanitize ;;
faults) faults ;;
watch) watch ;;
reference) reference ;;
recorded) recorded ;;
oracle) oracle ;;
tune) tune ;;
memory) memory ;;
all) replays; grads; compares; oracle; reference; faults; watch; recorded; bench; tune; memory; sanitize ;;
*) sed -n '2,/^what=/s/^# \{0,1\}//p' "$0"; exit 2 ;;
esac
