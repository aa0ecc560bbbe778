"""python -m bench.paces: the pace of imports and bulk changes, as a share of that of calls.

Both take the same calls: reading a record and changing it, or creating one and reading it. The jobs
make 8 at once, and so do the bare calls.
"""

from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from itertools import count
from statistics import median
from typing import Any

from dashboard.standin.seed import counts

from . import servers, worker
from .budgets import Verdict
from .rounds import progress

AT_ONCE = 8
SIZE = 2_000  # records of the stand-in, at the least
LEAST = 0.9
_names = (f"Pace {number}" for number in count(1))


def main() -> None:
    parser = worker.arguments("paces", __doc__)
    parser.add_argument("--rows", type=int, default=400, help="contacts of one job")
    wanted = parser.parse_args()
    with worker.database(), servers.standin(size=size_for(wanted.rows)) as standin:
        context = worker.context(standin)
        ids = _contacts(context, wanted.rows)
        standin.ask("/latency", {"seconds": wanted.latency})
        measured = {"import": (_create, _import), "bulk change": (_change, _bulk_change)}
        verdicts = [
            _verdict(name, *kinds, context, ids, wanted.rounds) for name, kinds in measured.items()
        ]
    worker.tell(verdicts, as_json=wanted.json)


def size_for(rows: int) -> int:
    """How many records the stand-in has if so many contacts are among them. Raises ValueError for
    more than it can have.
    """
    size = SIZE
    while counts(size, worker.WORKSPACE.lower())["contacts"] < rows:
        size *= 2
    return size


def _verdict(
    name: str, bare: Callable[..., None], job: Callable[..., Any], context: Any, ids: list[int],
    rounds: int,
) -> Verdict:  # fmt: skip
    ratios = []
    for number in range(rounds):
        progress(f"{name}: round {number + 1} of {rounds}")
        calls = worker.seconds(lambda: _side_by_side(lambda one: bare(context, one), ids))
        begun = job(context, ids)
        ratios.append(calls / worker.seconds(lambda begun=begun: worker.finish(begun)))  # type: ignore[misc]
    progress("")
    pace = f"{len(ids) / calls:.0f} rows/s"
    return Verdict(f"pace of {name} / {AT_ONCE} calls at once, {pace}", median(ratios), LEAST, "x",
                   at_least=True)  # fmt: skip


def _side_by_side(call: Callable[[int], None], ids: Iterable[int]) -> None:
    with ThreadPoolExecutor(AT_ONCE) as pool:
        list(pool.map(call, ids))


def _contacts(context: Any, number: int) -> list[int]:
    from dashboard.gateway import CONTACTS

    pages = (
        context.gateway.list(CONTACTS, page_size=100, page_index=index)
        for index in range((number + 99) // 100)
    )
    ids = [record.id for page in pages for record in page.records][:number]
    if len(ids) < number:
        raise ValueError(f"The stand-in has {len(ids)} contacts, not {number}.")
    return ids


def _create(context: Any, number: int) -> None:
    from dashboard.resources.contacts import CONTACTS

    body = {"cstname": next(_names), "contact_type": 1}
    created = context.gateway.create(CONTACTS.endpoint, body)
    CONTACTS.read(context.gateway, created.id, fresh=True)


def _change(context: Any, number: int) -> None:
    from dashboard.resources.contacts import CONTACTS

    CONTACTS.read(context.gateway, number, fresh=True)
    context.gateway.update(CONTACTS.endpoint, number, {"cstname": next(_names)})


def _import(context: Any, ids: list[int]) -> Any:
    return begin_import(context, len(ids))


def begin_import(context: Any, number: int) -> Any:
    names = [next(_names) for _ in range(number)]
    rows = [
        {"label": name, "body": {"cstname": name, "contact_type": 1}, "change": {}, "id": None,
         "seen": {}}
        for name in names
    ]  # fmt: skip
    return _job(context, "import", rows, {"look_up": False, "update": False})


def _bulk_change(context: Any, ids: list[int]) -> Any:
    from dashboard.lists.bulk_actions import CHANGE

    rows = [{"label": "contact", "of": "contacts", "id": number, "seen": {}} for number in ids]
    return _job(context, CHANGE.kind, rows, {"set": {"cstname": next(_names)}})


def _job(context: Any, kind: str, rows: list[dict[str, Any]], params: dict[str, Any]) -> Any:
    from dashboard.jobs import services

    return services.create(
        context, kind=kind, title=kind, resource="contacts", params=params, rows=rows
    )


if __name__ == "__main__":
    main()
