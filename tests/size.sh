#!/bin/sh
# size.sh - the rules of style that a machine can check. Prints counts; exit 1 when one is broken.
#
#   lines of at most 100 columns, functions of at most 80 lines (switches that only dispatch excepted),
#   files of at most 1000 lines, no to-do words, no include that climbs to an upper folder,
#   no printing, exiting or reading of the environment in the library.
set -u
cd "$(dirname "$0")/.." || exit 2

sources=$(git ls-files '*.c' '*.h')
library=$(git ls-files 'core/*.c' 'executors/*.c' 'viz/*.c' 'scripts/*.c')
texts=$(git ls-files | grep -v -e '^LICENSE$' -e '^tests/size.sh$' -e '\.safetensors$' -e '^docs/img/')
broken=0

# complain TITLE FINDINGS: one finding a line; "" is good.
complain() {
    n=0
    [ -n "$2" ] && n=$(printf '%s\n' "$2" | wc -l)
    printf '%6d  %s\n' "$n" "$1"
    [ "$n" -eq 0 ] && return
    printf '%s\n' "$2" | head -20 | sed 's/^/        /'
    broken=1
}

# Columns are characters, not bytes.
export LC_ALL=C.UTF-8

lines=$(cat $sources | wc -l)
files=$(printf '%s\n' $sources | wc -l)
printf '%6d  lines of C in %d files\n' "$lines" "$files"

complain "lines over 100 columns" "$(grep -nE '^.{101,}' $sources | cut -c1-90)"

long_functions=$(awk '
    FNR == 1 { inside = 0 }
    /^\{/ { start = FNR; inside = 1; cases = 0; next }
    inside && /^[ ]*(case .*:|default:|return .*;|break;)/ { cases++ }
    inside && /^}/ {
        inside = 0
        length_ = FNR - start
        if (length_ > 80 && cases * 2 < length_)
            printf "%s:%d: %d lines\n", FILENAME, start, length_
    }' $sources)
complain "functions over 80 lines" "$long_functions"
complain "files over 1000 lines" "$(wc -l $sources | awk '$2 != "total" && $1 > 1000')"

complain "to-do words" \
    "$(grep -nwE 'TO''DO|FIX''ME|XX''X|HA''CK' $texts | cut -c1-90)"
complain "includes that climb" \
    "$(grep -nE '^#include "[^"]*\.\./' $sources)"
complain "paths of one machine" \
    "$(grep -nE '(^|[^A-Za-z0-9_}])/(work|root)/' $texts | cut -c1-90)"

# snprintf and friends write into memory; fprintf into a file that the caller named is not printing.
complain "printing, exiting or environment in the library" \
    "$(grep -nE '(^|[^a-z_])(printf|puts|putchar|perror|exit|getenv|setenv)\(' $library)"
complain "standard streams in the library" \
    "$(grep -nE '\b(stdout|stderr)\b' $library)"

[ "$broken" -eq 0 ] && echo "    ok  style" || echo "FAILED  style"
exit "$broken"
