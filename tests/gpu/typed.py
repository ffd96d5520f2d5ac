"""typed.py PROGRAM COMMAND...: types the commands into PROGRAM in a terminal, as a person would.

A session in a terminal goes on behind an error, one that reads a file stops. Prints what the screen
got, without colours; ends as the program does, or with 124 when a command takes over 60 s.
"""
import os
import pty
import re
import select
import sys
import time

PROMPT = re.compile(rb"\([^()]*\) $")


def read_to_prompt(fd, screen, seconds):
    """Until the program waits for a line; False when it ended, or after so many seconds."""
    end, seen = time.time() + seconds, b""
    while time.time() < end:
        if not select.select([fd], [], [], 0.3)[0]:
            if PROMPT.search(re.sub(rb"\x1b\[[0-9;?]*[a-zA-Z]", b"", seen)):
                return True
            continue
        try:
            part = os.read(fd, 65536)
        except OSError:
            part = b""
        if not part:
            return False
        seen += part
        screen.write(part)
    raise TimeoutError


def main():
    pid, fd = pty.fork()
    if pid == 0:
        os.environ["TERM"] = "dumb"
        os.execv(sys.argv[1], sys.argv[1:2])
    screen = sys.stdout.buffer
    try:
        read_to_prompt(fd, screen, 60)
        for command in sys.argv[2:]:
            os.write(fd, command.encode() + b"\n")
            if not read_to_prompt(fd, screen, 60):
                break
    except TimeoutError:
        os.kill(pid, 9)
        os.waitpid(pid, 0)
        sys.exit(124)
    screen.flush()
    os.close(fd)
    sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))


main()
