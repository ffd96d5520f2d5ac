#!/bin/sh
# test.sh - installs what is needed, builds, and runs every test. Ends with "N passed, N failed".
#
# Two builds: one with the sanitizers, under which all suites run, and one for release, in which
# the benchmarks run and everything that starts the real program does. Warnings are errors in both.
set -u
cd "$(dirname "$0")/.." || exit 2
. scripts/packages.sh

passed=0
failed=0
jobs=$(nproc 2>/dev/null || echo 2)

finish() {
    echo "$passed passed, $failed failed"
    [ "$failed" -eq 0 ]
    exit
}

# Counts the log of a run of ctest: a Check program says how many of its cases passed, everything
# else is one test. A Check program that dies before it says so counts as one failure more.
count() {
    awk '
        function add() {
            if (!name)
                return
            total_passed += checks ? passed : good
            total_failed += failed ? failed : !good
        }
        /^[0-9]+\/[0-9]+ Test: / {
            add()
            name = $3
            passed = failed = checks = good = 0
        }
        /^ *[0-9]+%: Checks: / {
            gsub(/[^0-9 ]/, " ")
            checks = 1
            passed += $2 - $3 - $4
            failed += $3 + $4
        }
        /^Test Passed\.$/ { good = 1 }
        END { add(); print total_passed + 0, total_failed + 0 }' "$1"
}

# run_tests FOLDER CTEST-OPTION...
run_tests() {
    folder=$1
    shift
    (cd "$folder" && ctest --output-on-failure -j "$jobs" "$@")
    log=$folder/Testing/Temporary/LastTest.log
    [ -f "$log" ] || {
        failed=$((failed + 1))
        return
    }
    set -- $(count "$log")
    passed=$((passed + $1))
    failed=$((failed + $2))
}

build() {
    configure "$@" && cmake --build "$1" -j "$jobs" >"$1/build.log" 2>&1 && return
    echo "FAILED  the build in $1"
    grep -E 'error|warning|FAILED' "$1/build.log" 2>/dev/null | head -40
    failed=$((failed + 1))
    return 1
}

install_packages || {
    echo "FAILED  packages could not be installed"
    failed=1
    finish
}
obtain_nvrtc
build build -DCMAKE_BUILD_TYPE=Release -DTHUNDER_WERROR=ON || finish
build build-sanitize -DCMAKE_BUILD_TYPE=Debug -DCMAKE_C_FLAGS=-O1 -DTHUNDER_WERROR=ON \
    -DTHUNDER_SANITIZE=ON || finish

echo "== suites, under the sanitizers"
run_tests build-sanitize -LE release
echo "== the release build"
run_tests build -L release
finish
