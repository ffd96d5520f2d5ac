#!/bin/sh
# exports.sh BUILD - functions that could be static: exported by one object of the libraries, used by
# no other object of the program, its tests and benchmarks. Prints them; exit 1 when there are any.
#
# Not asked: k_NAME, the kernels that prims.def names, which the header of the interpreter declares.
set -u
build=${1:-build}
command -v nm >/dev/null || exit 77

# One line a symbol of an object: OBJECT T or U NAME. Objects of the program without a library, and
# of the tests, only use.
symbols() {
    nm -A -g "$build"/libt_*.a 2>/dev/null |
        awk '{ sub(/:[^:]*$/, "", $1) } NF >= 3 { print "lib", $1, $(NF - 1), $NF }'
    find "$build/CMakeFiles" "$build/tests" -name '*.o' \
        \( -path '*thunder-repl.dir*' -o -path '*/tests/*' \) -exec nm -A -g {} + 2>/dev/null |
        awk '{ sub(/:[^:]*$/, "", $1) } NF >= 3 { print "user", $1, $(NF - 1), $NF }'
}

found=$(symbols | awk '
    $3 == "U" { used[$4] = 1; next }
    $1 == "lib" && $3 ~ /^[TDBR]$/ { defined[$4] = $2 }
    END { for (s in defined) if (!used[s] && s !~ /^k_/) print "        " s "  " defined[s] }' | sort)
n=0
[ -n "$found" ] && n=$(printf '%s\n' "$found" | wc -l)
printf '%6d  functions that could be static\n%s' "$n" "${found:+$found
}"
[ "$n" -eq 0 ] && echo "    ok  exports" || { echo "FAILED  exports"; exit 1; }
