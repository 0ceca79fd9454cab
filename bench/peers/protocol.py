"""How a peer talks: one command a line on standard input, one JSON object a line on standard output.

A peer is driven in lock step with the system it is compared to, so it must cost nothing while it
waits: it blocks on its input, and its thread pool sleeps instead of spinning.
"""

import json
import os
import resource
import sys
import time

# Words for --wait, as the OpenMP runtime wants them: None leaves its default, a few milliseconds
# of spinning before a thread sleeps.
WAIT_POLICIES = {"passive": "PASSIVE", "brief": None, "active": "ACTIVE"}


class Failed(Exception):
    """A reason, in one line, why this peer cannot run."""


def with_environment(wanted):
    """Restarts the program unless its environment is as wanted: thread pools and allocators read
    theirs before the first line of a program runs."""
    if any(os.environ.get(name) != value for name, value in wanted.items()):
        kept = {name: value for name, value in os.environ.items() if name not in wanted}
        given = {name: value for name, value in wanted.items() if value is not None}
        os.execve(sys.executable, [sys.executable, *sys.argv], {**kept, **given})


def limit_memory(bytes_allowed):
    """Makes allocations beyond the limit fail in this process instead of troubling the machine.
    Counts private writable memory only, not the libraries mapped from files."""
    resource.setrlimit(resource.RLIMIT_DATA, (bytes_allowed, bytes_allowed))


def resident():
    """Resident bytes of this process: the highest so far, and now."""
    with open("/proc/self/status") as status:
        fields = dict(line.split(":", 1) for line in status)
    return [1024 * int(fields[name].split()[0]) for name in ("VmHWM", "VmRSS")]


def serve(start):
    """Calls start(), which returns (what to announce, a function that runs an epoch and returns its
    loss), then answers commands until told to exit. Any failure is answered in one line."""
    try:
        announced, epoch = start()
        epoch()  # the first one pays for page faults and lazy set-up
        answer({"ready": True, **announced})
        for line in sys.stdin:
            command, *arguments = line.split() or [""]
            if command == "exit":
                return
            if command != "epochs" or len(arguments) != 1:
                raise Failed(f"unknown command: {line.strip()}")
            answer(epochs(epoch, int(arguments[0])))
    except (Failed, ImportError, MemoryError, RuntimeError, OSError, ValueError) as e:
        reason = " ".join(str(e).split())[:300]
        answer({"failed": reason or type(e).__name__})
        sys.exit(1)


def epochs(epoch, count):
    seconds = []
    loss = None
    for _ in range(count):
        start = time.perf_counter()
        loss = epoch()
        seconds.append(time.perf_counter() - start)
    peak, now = resident()
    told = {"seconds": seconds, "loss": loss, "rssPeakBytes": peak, "rssBytes": now}
    return {**told, **epoch.report()} if hasattr(epoch, "report") else told


def answer(message):
    print(json.dumps(message), flush=True)
