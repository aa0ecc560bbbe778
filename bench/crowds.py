"""Two scenarios: more connections than threads, and a thousand users through nginx."""

from dataclasses import dataclass

from . import load, rounds, servers
from .site import API, PAGE, Site

CROWD = 76  # connections, more than the threads of all workers
LATENCY = 0.05  # of the API, in seconds
RAW_PEOPLE = 100  # connections to the API at the same time, with a tenth of the pauses


@dataclass(frozen=True)
class Browsing:
    """The latencies through nginx and of raw calls at the same time."""

    people: int
    page: load.Slice
    raw: load.Slice


def crowded(site: Site, seconds: float) -> load.Slice:
    """Load by CROWD connections that repeat their request at once, for `seconds`."""
    site.standin.ask("/latency", {"seconds": LATENCY})
    rounds.progress(f"{CROWD} people for {seconds:g} s")
    with load.Crowd(site.servers[PAGE].port, site.requests(PAGE, 25), CROWD) as crowd:
        return crowd.run(seconds=seconds)


def through_nginx(
    site: Site, people: int, seconds: float, pause: tuple[float, float]
) -> Browsing | None:
    """Load by `people` connections through nginx with pauses, for `seconds`; None without nginx."""
    site.standin.ask("/latency", {"seconds": LATENCY})
    with servers.nginx(site.folder, site.servers[PAGE]) as proxy:
        if proxy is None:
            return None
        rounds.progress(f"{people} people through nginx for {seconds:g} s")
        with (
            load.Crowd(proxy.port, site.requests(PAGE, 25), people) as pages,
            load.Crowd(site.servers[API].port, site.requests(API, 25), RAW_PEOPLE) as calls,
        ):
            through = load.PausingCrowd(pages, pause)
            raw = load.PausingCrowd(calls, (pause[0] / 10, pause[1] / 10))
            load.run_with_pauses([through, raw], seconds)
    return Browsing(people, through.done, raw.done)
