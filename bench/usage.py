"""CPU time and memory of processes, read from /proc (Linux)."""

import os
from dataclasses import dataclass
from pathlib import Path

PROC = Path("/proc")
TICK = 1 / os.sysconf("SC_CLK_TCK")


def children(parent: int) -> list[int]:
    """The sorted ids of the running child processes of `parent`."""
    found = []
    for status in PROC.glob("[0-9]*/stat"):
        try:
            after_name = status.read_text().rpartition(") ")[2].split()
        except OSError:  # the process has ended
            continue
        if int(after_name[1]) == parent:
            found.append(int(status.parent.name))
    return sorted(found)


def cpu_seconds(processes: list[int]) -> float:
    """CPU time used so far by all threads alive of these processes. A server's threads stay.

    From schedstat, which counts nanoseconds: /proc/PID/stat counts in steps of 10 ms, as long as
    a dozen pages take.
    """
    tasks = (task for pid in processes for task in PROC.glob(f"{pid}/task/*"))
    return sum(_nanoseconds(task) for task in tasks) / 1e9


def _nanoseconds(task: Path) -> int:
    try:
        return int((task / "schedstat").read_text().split()[0])
    except OSError:  # the thread has ended
        return 0


def busy_seconds() -> float:
    """The CPU time that the whole machine has used so far."""
    user, nice, system, _idle, _iowait, irq, softirq, steal = (
        int(field) for field in (PROC / "stat").read_text().split("\n")[0].split()[1:9]
    )
    return (user + nice + system + irq + softirq + steal) * TICK


@dataclass(frozen=True)
class Memory:
    """Megabytes (10^6) of one process. `pss` counts shared pages by share, `rss` in full."""

    rss: float
    pss: float


def memory(process: int) -> Memory:
    kilobytes = {
        name: int(rest.split()[0])
        for name, _, rest in (
            line.partition(":")
            for line in (PROC / str(process) / "smaps_rollup").read_text().splitlines()
        )
        if name in ("Rss", "Pss")
    }
    return Memory(kilobytes["Rss"] * 1024 / 1e6, kilobytes["Pss"] * 1024 / 1e6)
