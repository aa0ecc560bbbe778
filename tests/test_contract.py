"""Every operation of every resource through the gateway against the stand-in over HTTP.

Each test runs in all three profiles, which differ where the reference says "not shown".
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from typing import Any

import pytest

from dashboard.gateway import (
    CONTACTS,
    ENDPOINTS,
    LEADS,
    TASKS,
    Endpoint,
    Gateway,
    GatewayError,
    Keys,
    Missing,
    NotAllowed,
    NotOffered,
    OutcomeUnknown,
    Service,
)
from dashboard.gateway.api import Operation
from dashboard.standin import StandIn
from dashboard.standin.faults.kinds import KINDS
from tests.waits import wait_until

PROFILES = [
    "verbose",
    *(pytest.param(name, marks=pytest.mark.slow) for name in ("terse", "hostile")),
]
UNPUBLISHED = frozenset({"tasks.update", "tasks.delete", "leads.get", "leads.update"})
LINE = {"item_id": 501, "item_name": "Hour", "quantity": 2, "price": Decimal("95.50")}
LINES = [{**LINE, "type": "item", "discount": 5, "discount_type": 2, "tax_rate": 20}]
DAY = date(2026, 3, 2)


@dataclass
class Connection:
    standin: StandIn
    service: Service
    gateway: Gateway

    def as_pair(self, pair: tuple[str, str]) -> Gateway:
        return Gateway(self.service, Keys(access=pair[0], secret=pair[1]))

    def effects(self) -> int:
        writes = [entry for entry in self.standin.ledger() if entry["operation"] in WRITES]
        return len(writes)


WRITES = ("create", "update", "delete")


@pytest.fixture(scope="module", params=PROFILES)
def desk(request: pytest.FixtureRequest) -> Iterator[Connection]:
    with StandIn(profile=request.param, size="small", seed=1, unpublished=True) as standin:
        service = Service(standin.url)
        access, secret = standin.keys["acme"][0]
        gateway = Gateway(service, Keys(access=access, secret=secret), enabled=UNPUBLISHED)
        yield Connection(standin, service, gateway)
        service.close()


@pytest.fixture(autouse=True)
def without_faults(desk: Connection) -> None:
    desk.standin.clear_faults()
    desk.service.breaker.reset()


def a_body(desk: Connection, endpoint: Endpoint) -> dict[str, Any]:
    contact = desk.gateway.list(CONTACTS, filters={"type": 2}).records[0].id
    document = {"customer_id": contact, "template_id": 11, "items": LINES, "tag_ids": [41]}
    return {
        "contacts": {"cstname": "Ätna & Co", "contact_type": 2, "cstemail": "a@example.com"},
        "invoices": {**document, "due_date": DAY, "overall_discount": Decimal("1.5")},
        "estimates": {**document, "expiry_date": DAY},
        "deals": {"deal_name": "Ätna", "pipeline_id": 1, "cstid": contact, "deal_amount": 9},
        "tasks": {"title": "Call", "start_datetime": datetime(2026, 3, 2, 9), "cstid": contact},
        "leads": {"cstname": "Ada Ätna", "cstmobile": "+4917012345", "lead_source": "Fair"},
    }[endpoint.name]


def a_change(body: dict[str, Any], endpoint: Endpoint) -> dict[str, Any]:
    name, value = {
        "contacts": ("ct_taxnumber", "X-1"),
        "invoices": ("reference", "PO 7"),
        "estimates": ("reference", "PO 7"),
        "deals": ("deal_description", "Later"),
        "tasks": ("description", "Later"),
        "leads": ("lead_company_name", "Later"),
    }[endpoint.name]
    needed = any(field.required for field in endpoint.update)
    return {**body, name: value} if needed else {name: value}


each = pytest.mark.parametrize("endpoint", ENDPOINTS, ids=lambda endpoint: endpoint.name)


@each
def test_a_record_is_created_read_updated_and_deleted(desk: Connection, endpoint: Endpoint) -> None:
    gateway, body = desk.gateway, a_body(desk, endpoint)
    created = gateway.create(endpoint, body)
    assert created.id
    assert created.label
    record = gateway.get(endpoint, created.id)
    assert record.id == created.id
    for name in (field.name for field in endpoint.create if field.required):
        if name != "items":
            assert record[name] == body[name]
    assert gateway.update(endpoint, created.id, a_change(body, endpoint))
    assert gateway.delete(endpoint, created.id)
    with pytest.raises((Missing, NotOffered)):
        gateway.get(endpoint, created.id)


@each
def test_pages_of_any_size_are_read(desk: Connection, endpoint: Endpoint) -> None:
    for size in (1, 25, 100):
        page = desk.gateway.list(endpoint, page_size=size)
        assert 0 < len(page.records) <= size
        assert page.total_records is not None
        assert page.total_records >= len(page.records)
        for record in page.records:
            for field in endpoint.fields:
                str(record[field.name])
            assert record.id > 0
    first, second = (desk.gateway.list(endpoint, page_index=i, page_size=2) for i in (0, 1))
    assert not {r.id for r in first.records} & {r.id for r in second.records}


@each
def test_a_search_finds_the_name_or_number(desk: Connection, endpoint: Endpoint) -> None:
    label = desk.gateway.list(endpoint, page_size=1).records[0][endpoint.label_field]
    found = desk.gateway.list(endpoint, search=label, page_size=100).records
    assert label in [record[endpoint.label_field] for record in found]
    assert desk.gateway.list(endpoint, search="zq" * 20).records == ()


@each
def test_every_filter_is_accepted(desk: Connection, endpoint: Endpoint) -> None:
    everything = desk.gateway.list(endpoint, page_size=1).total_records
    assert everything is not None
    for field in endpoint.filters:
        value: Any = DAY if field.kind == "date" else 1
        value = field.choices[0][0] if field.choices else value
        found = desk.gateway.list(endpoint, page_size=1, filters={field.name: value}).total_records
        assert found is not None, field.name
        assert found < everything, field.name


@each
def test_lists_are_sorted(desk: Connection, endpoint: Endpoint) -> None:
    name = endpoint.id_field
    orders: tuple[Any, ...] = ("asc", "desc")
    for order in orders:
        page = desk.gateway.list(endpoint, page_size=50, sort_by=name, sort_order=order)
        ids = [record.id for record in page.records]
        assert ids == sorted(ids, reverse=order == "desc"), order


@each
def test_a_missing_record_raises_missing(desk: Connection, endpoint: Endpoint) -> None:
    body = a_change(a_body(desk, endpoint), endpoint)
    calls: dict[Operation, Any] = {
        "get": lambda: desk.gateway.get(endpoint, 99_999_999),
        "update": lambda: desk.gateway.update(endpoint, 99_999_999, body),
        "delete": lambda: desk.gateway.delete(endpoint, 99_999_999),
    }
    for operation, call in calls.items():
        allowed = Missing if operation in endpoint.operations else (Missing, NotOffered)
        with pytest.raises(allowed):
            call()


@each
def test_a_record_of_another_workspace_raises_missing(desk: Connection, endpoint: Endpoint) -> None:
    theirs = desk.as_pair(desk.standin.keys["globex"][0])
    try:
        number = theirs.list(endpoint).records[0].id
    except NotAllowed:
        pytest.skip("that workspace has no such area")
    with pytest.raises(Missing):
        desk.gateway.get(endpoint, number)
    with pytest.raises(Missing):
        desk.gateway.delete(endpoint, number)


def test_a_service_without_unpublished_operations_raises_not_offered() -> None:
    for profile in ("terse", "verbose", "hostile"):
        with StandIn(profile=profile, size="small", seed=1) as standin:
            service = Service(standin.url)
            access, secret = standin.keys["acme"][0]
            gateway = Gateway(service, Keys(access=access, secret=secret), enabled=UNPUBLISHED)
            task, lead = (gateway.list(e).records[0].id for e in (TASKS, LEADS))
            for call in (
                lambda g=gateway, i=task: g.update(TASKS, i, {"title": "x"}),
                lambda g=gateway, i=task: g.delete(TASKS, i),
                lambda g=gateway, i=lead: g.get(LEADS, i),
                lambda g=gateway, i=lead: g.update(LEADS, i, {"cstname": "x"}),
            ):
                with pytest.raises(NotOffered):
                    call()
            service.close()


# Each kind of fault; those that drop the answer also without doing the write.
SILENT = ("reset", "close", "hang", "drip", "truncate", "truncate-head", "garbage", "status-500")
OTHERS = {"slow", "late", "refuse", *(kind for kind in KINDS if kind.startswith("list-"))}
FAULTS = sorted({*KINDS, *(f"{kind}-before" for kind in SILENT), "slow:0.1"} - OTHERS)


@pytest.mark.slow
@pytest.mark.parametrize("desk", ["verbose"], indirect=True)
def test_the_outcome_of_a_write_is_true_for_every_fault(desk: Connection, subtests: Any) -> None:
    """Saved means done once, not saved means not done; not sure may mean either."""
    for fault in FAULTS:
        with subtests.test(fault):
            desk.service.breaker.reset()
            check_outcome(desk, fault)


def check_outcome(desk: Connection, fault: str) -> None:
    hasty = Service(desk.standin.url, timeout=0.5)
    access, secret = desk.standin.keys["acme"][0]
    last = max((entry["number"] for entry in desk.standin.ledger()), default=0)
    desk.standin.fault(fault, operation="create")
    try:
        Gateway(hasty, Keys(access=access, secret=secret)).create(LEADS, {"cstname": "Once"})
        expected = [True]
    except OutcomeUnknown:
        expected = [True, False]
    except GatewayError:
        expected = [False]
    finally:
        desk.standin.clear_faults()
        hasty.close()
    writes = _noted(desk, last)
    assert len(writes) == 1
    assert writes[0]["effect"] in expected


def _noted(desk: Connection, last: int) -> list[dict[str, Any]]:
    """The creates after `last`; on a slow machine the stand-in may note one after we gave up."""
    return wait_until(lambda: desk.standin.ledger(last, operation="create"))
