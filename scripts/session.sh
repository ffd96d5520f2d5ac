#!/bin/sh
# session.sh [PROGRAM] - runs the commands on standard input in one session, and prints each with its
# output, as a session at the prompt would look. PROGRAM defaults to build/thunder-repl.
program=${1:-build/thunder-repl}
set --
while IFS= read -r command; do
    set -- "$@" -e "!echo '(thunder) $command'" -e "$command"
done
exec "$program" --batch --keep-going "$@" 2>&1
