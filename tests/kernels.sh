#!/bin/sh
# kernels.sh TOOL - generated C under AddressSanitizer and UndefinedBehaviorSanitizer, without a warning:
# every recorded case in tests/cases runs on kernels that are compiled so. 77 = no sanitizers, skipped.
set -u
tool=$(realpath "$1")
cd "$(dirname "$0")/cases" || exit 2
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
cc=$(command -v gcc || command -v cc) || { echo "skipped: no C compiler"; exit 77; }
for lib in libasan.so libubsan.so; do
    path=$("$cc" -print-file-name=$lib)
    [ -f "$path" ] || { echo "skipped: $cc has no $lib"; exit 77; }
    preload=${preload:+$preload:}$path
done
flags="-O1 -fsanitize=address,undefined -fno-sanitize-recover=all -Wall -Wextra -Werror"

# replay FOLDER...: with kernels for everything that c takes, none of them from a cache
replay() {
    LD_PRELOAD=$preload ASAN_OPTIONS=detect_leaks=0:verify_asan_link_order=0 \
        UBSAN_OPTIONS=print_stacktrace=1 "$tool" --batch -e "option kernel.cache $work/cache" \
        -e "option kernel.cc $cc" -e "option kernel.flags '$flags $more'" \
        -e "replay --executors c,interp $*" >"$work/out" 2>&1
}

# wrong WHAT TEXT PATTERN: with TEXT in front of each kernel the replay fails with PATTERN
wrong() {
    echo "$2" >"$work/wrong.h"
    more="-include $work/wrong.h"
    if replay add_mul.fw00.py || ! grep -q "$3" "$work/out"; then
        echo "FAILED: $1 is not found in kernels:"
        cat "$work/out"
        exit 1
    fi
}

wrong "a warning" "static int unused(void) { return 0; }" "does not compile"
wrong "an index that is too large" \
    "__attribute__((constructor)) static void far(void) { static volatile int a[2], i = 2; if (a[i]) i = 0; }" \
    "runtime error\|AddressSanitizer"
more=""
if replay . direct; then
    tail -n 1 "$work/out"
else
    cat "$work/out"
    exit 1
fi
