#!/bin/bash
# pty.sh TOOL: the program in a real terminal of 80 x 24, driven through tmux: keys, completion, colour,
# pager, history, interruption, init files. Each check waits for what must appear on the screen.
set -u
tool=$(realpath "$1")
if ! command -v tmux >/dev/null; then
    echo "skipped: tmux is not installed, so there is no terminal to test in"
    exit 77
fi
dir=$(mktemp -d)
sock="$dir/tmux"
here=$(cd "$(dirname "$0")/../.." && pwd)
failed=0 checks=0
trap 'tmux -S "$sock" kill-server 2>/dev/null; rm -rf "$dir"' EXIT

tm() { tmux -S "$sock" -f /dev/null "$@" 2>/dev/null; }
tm new-session -d -s keep "sleep 1000" # so that the server outlives each session

# start NAME=VALUE... -- ARGS...: a fresh terminal with the program in it
start() {
    local vars=()
    while [ "$1" != "--" ]; do vars+=("$1"); shift; done
    shift
    tm kill-session -t t 2>/dev/null
    tm new-session -d -s t -x "${columns:-80}" -y 24 -c "${cwd:-$here}" \
        env -u NO_COLOR -u PAGER LC_ALL=C.UTF-8 XDG_STATE_HOME="$dir/state" XDG_CONFIG_HOME="$dir/config" \
        ${vars[@]+"${vars[@]}"} bash -c '"$0" "$@"; echo "left with $?"; sleep 1000' "$tool" "$@"
    checks=$((checks + 1))
    for _ in $(seq 100); do
        if screen | grep -qE '^\([a-z]+[:)]'; then return; fi # the prompt
        sleep 0.05
    done
    failed=$((failed + 1))
    echo "FAILED: no prompt"
}

type_line() { tm send-keys -t t -l -- "$1"; tm send-keys -t t Enter; }
type_text() { tm send-keys -t t -l -- "$1"; }
key() { tm send-keys -t t "$@"; }
screen() { tm capture-pane -p "$@" -t t; }

# sees WHAT PATTERN: the screen shows PATTERN within five seconds
sees() {
    checks=$((checks + 1))
    for _ in $(seq 100); do
        if screen | grep -qE -- "$2"; then return 0; fi
        sleep 0.05
    done
    failed=$((failed + 1))
    echo "FAILED: $1: no /$2/ on the screen:"
    screen | sed 's/^/    | /'
    return 1
}

# sees_not WHAT PATTERN: right now the screen does not show PATTERN
sees_not() {
    checks=$((checks + 1))
    if screen | grep -qE -- "$2"; then
        failed=$((failed + 1))
        echo "FAILED: $1: /$2/ is on the screen:"
        screen | sed 's/^/    | /'
    fi
}

columns=40 start --
sees "the welcome is broken between words" "^shows how, .help. explains; Ctrl-D ends"
start -- 
sees "banner" "^thunder-repl [0-9.]+: "
sees "prompt without a program" "^\(thunder\)"
type_line "load examples/mlp.py"
sees "prompt with program and stage" "^\(mlp:acquired\) $|^\(mlp:acquired\)$"
type_line "s"
sees "step says the rule" "^claim 1: "
sees "step shows the change" "^\+ .*prims.linear"
sees "prompt inside a pass" "^\(mlp:claim\+1\)"
key Enter
sees "an empty line repeats the step" "^\(mlp:claim\+2\)"
type_line "back 2"
type_line "stages"
sees "stages fit the screen" "^> +0  acquired .*as it was loaded$"
checks=$((checks + 1))
if screen | awk 'length($0) > 80 { exit 1 }'; then :; else failed=$((failed + 1)); echo "FAILED: wide line"; fi

key C-l
type_text "pri"
key Tab
sees "Tab completes a command" "\) print $|\) print$"
type_text "%input_"
key Tab
key Tab
sees "the second Tab lists values" "%input_1 +%input_2 +%input_3"
type_text "2[0, 0:2]"
key Enter
sees "the completed line runs" '^\$1 = %input_2\[0, 0:2\]'
key C-l
key Up
sees "history recalls" "\) print %input_2\[0, 0:2\]"
key C-c
sees "Ctrl-C drops the line" "\^C"
sleep 1.2 # twice within a second would leave
key C-r
type_text "stag"
sees "Ctrl-R searches" "stages"
key C-c
sleep 1.2
type_line "list"
sees "a new line after it" "def forward"
checks=$((checks + 1))
if screen -e | grep -q $'\033\[36m'; then :; else failed=$((failed + 1)); echo "FAILED: no colour"; fi
type_line "unload"
sees "a question before work is lost" "unload forward with all its stages\? \[y/N\]"
type_line "n"
sees "and no means no" "^\(mlp:acquired\)"
type_line "quit 5"
sees "quit leaves with its code" "left with 5"

start TERM=dumb -- -q examples/mlp.py
sees "a dumb terminal works" "^\(mlp:acquired\)"
type_line "list"
sees "a dumb terminal lists" "def forward"
checks=$((checks + 1))
if screen -e | grep -q $'\033\[36m'; then failed=$((failed + 1)); echo "FAILED: colour on a dumb terminal"; fi
key C-d
sees "Ctrl-D leaves" "left with 0"

start NO_COLOR=1 -- -q examples/mlp.py
type_line "list"
sees "NO_COLOR lists" "def forward"
checks=$((checks + 1))
if screen -e | grep -q $'\033\[36m'; then failed=$((failed + 1)); echo "FAILED: colour in spite of NO_COLOR"; fi
type_line "show color"
sees "show says who won" "set color never +# from the environment \(NO_COLOR\)"

start "PAGER=sed s/^/paged:/" -- -q
type_line "ops"
sees "long output goes through the pager" "^paged:"
type_line "version"
sees "short output does not" "^thunder-repl [0-9]"
type_line "set pager off"
sees "the pager is off" "^set pager off"
type_line "ops"
sleep 0.3
sees_not "and stays out" "^paged:.*(ltorch|prims)\..*$"

start -- -q
key Up
sees "history lasts over sessions" "\) ops"
key C-c
sleep 1.2
key C-c
sleep 0.2 # two signals at once are one
key C-c
sees "Ctrl-C twice leaves" "left with 130"

mkdir -p "$dir/config/thunder-repl" "$dir/here"
printf 'set context 7\nstpe\nset depth 1\n' >"$dir/config/thunder-repl/init"
printf 'set items 9\n' >"$dir/here/.thunder-repl"
chmod 644 "$dir/here/.thunder-repl"
cwd="$dir/here" start -- -q
sees "an error in an init file names file and line" "in .*thunder-repl/init:2"
sees "an untrusted folder is not read" "not trusted"
type_line "show context depth items"
sees "init files set" "set context 7 +# from the init file"
sees "and go on to the error" "set items 6 +# default"
type_line "source --trust .thunder-repl"
sleep 0.2
cwd="$dir/here" start -- -q
type_line "show items"
sees "a trusted folder is read" "set items 9 +# from the init file"
cwd="$dir/here" start -- -q -n
type_line "show items context"
sees "-n reads none" "set context 2 +# default"

start EDITOR=true -- -q examples/mlp.py
type_line "edit"
sees "an editor that changes nothing" "nothing changed"
printf '#!/bin/sh\nsed -i "s/ltorch.relu(input_1, False)/torch.sigmoid(input_1)/" "$1"\n' >"$dir/editor"
chmod +x "$dir/editor"
start EDITOR="$dir/editor" -- -q examples/mlp.py
type_line "edit"
sees "an editor that changes a line" "^\+ .*sigmoid"

# A compiler that takes its time, in processes of its own, and leaves files behind.
printf '#!/bin/sh\ntouch "$TMPDIR/half"\n"%s/wait" 60\nexit 1\n' "$dir" >"$dir/slow"
ln -s "$(command -v sleep)" "$dir/wait"
printf 'def f(x: "f32[64]"):\n    return torch.exp(x) * x\n' >"$dir/kernel.py"
chmod +x "$dir/slow"
start -- -q "$dir/kernel.py"
for line in "bind --random 1" "option kernel.cache $dir/cache" "option kernel.cc $dir/slow" \
    "option fuse.min_work 0" "run last"; do type_line "$line"; done
sees "a long compilation shows how far it is" "^compiling kernels 0/1  "
key C-c
sees "Ctrl-C cancels it" "compiling was interrupted"
sees "and the prompt comes back" "^\(kernel:acquired\) ?$"
checks=$((checks + 1))
if pgrep -f "$dir/(slow|wait)" >/dev/null || [ -n "$(ls "$dir/cache")" ]; then
    failed=$((failed + 1))
    echo "FAILED: a cancelled compilation leaves something:" "$(pgrep -af "$dir/(slow|wait)")" "$(ls -R "$dir/cache")"
fi
type_line "option kernel.cc ''"
type_line "run last"
sees "and the next run works" '^\$1 = '
key C-d
sees "and leaves" "left with 0"

start -- -q
type_line "lua"
sees "the Lua prompt" "^lua>"
type_line "for i = 1, 2 do"
sees "an unfinished chunk asks for more" "^\.\.\.>"
type_line "print('row', i) end"
sees "and runs" "row.*2"
type_line "error('oops')"
sees "a script error is shown" "oops"
key C-d
sees "Ctrl-D comes back" "^\(thunder\)"

start -- -q
type_line "tutorial"
sees "the tutorial begins" "^Lesson 1 of"
type_line "load examples/tutorial.py"
sees "what was done is seen" "^Lesson 2 of"
type_line "tutorial off"
sees "it can be left" "left at lesson 2"
start -- -q
type_line "tutorial"
sees "and taken up again, with its program" "^\(tutorial:acquired\)"
sees "at the same lesson" "^Lesson 2 of"

start -- -q examples/mlp.py
type_line "break op relu"
type_line "commands"
sees "commands of a breakpoint are asked for" "^>"
type_line "print %input_2.shape"
type_line "end"
type_line "run"
sees "a run stops" "^Breakpoint 1, behind this node"
sees "the prompt says so" "^\(mlp:acquired stopped\)"
type_line "continue"
sees "and goes on" "outputs are as recorded"

echo "$((checks - failed)) passed, $failed failed"
[ "$failed" = 0 ]
