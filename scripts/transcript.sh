#!/bin/sh
# transcript.sh [--write] FILE PROGRAM - keeps the sessions shown in a document true.
#
# Every fenced block that begins with ```console is a session: its lines "(thunder) COMMAND" are run
# in one session, and what comes out must be what the document shows. Times may differ. --write puts
# what came out into the document.
set -u
cd "$(dirname "$0")/.." || exit 2
write=no
[ "${1:-}" = --write ] && { write=yes; shift; }
[ $# -eq 2 ] || { echo "usage: transcript.sh [--write] FILE PROGRAM" >&2; exit 2; }
file=$1
program=$2
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT

awk -v commands="$work/commands" -v run="scripts/session.sh '$program' <'$work/commands'" '
    /^```console$/ { inside = 1; printf "" > commands; print; next }
    inside && /^```$/ {
        close(commands)
        while ((run | getline line) > 0)
            print line
        close(run)
        inside = 0
    }
    inside { if (sub(/^\(thunder\) /, "")) print > commands; next }
    { print }' "$file" >"$work/new" || exit 2

if [ "$write" = yes ]; then
    cat "$work/new" >"$file"
    exit
fi
# Milliseconds are those of one run on one machine.
still() {
    sed -E 's/(in|,) [0-9.]+ (ms|us|s)\b/\1 N \2/g
            s/^(>? +[0-9]+  [a-z0-9.]+ +[0-9]+ +[0-9]+) +[0-9.]+  /\1 N  /' "$1"
}
still "$file" >"$work/a"
still "$work/new" >"$work/b"
diff -u "$work/a" "$work/b" && echo "$file: $(grep -c '^(thunder) ' "$file") commands as shown"
