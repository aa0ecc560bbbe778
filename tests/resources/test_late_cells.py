"""Columns that only the records have: read side by side after the list, a few at a time."""

import re
from threading import Event

from dashboard.gateway import DEALS, TASKS
from dashboard.office import reference_lists as catalogue
from dashboard.office.kinds import Kind
from dashboard.reader import lookups
from tests.helpers import ask_to_delete, text
from tests.page_forms import fields

HTMX = {"HX-Request": "true"}


def places(page) -> list[str]:
    return re.findall(r'data-cell="([^"]+)"', page.content.decode())


def fragment(page) -> str:
    return re.search(r'hx-get="(/deals/cells/[^"]+)"', page.content.decode())[1]


def test_a_list_is_shown_before_its_records_are_read(desk, standin):
    page = desk.get("/deals/?size=10")
    assert standin.ledger(operation="get", resource="deals") == []
    assert len(places(page)) == 10
    cells = desk.get(fragment(page), headers=HTMX).content.decode()
    assert len(standin.ledger(operation="get", resource="deals")) == 10
    assert re.findall(r"outerHTML:\[data-cell='([^']+)'\]", cells) == places(page)


def test_a_row_that_is_about_to_be_deleted_is_not_waited_for(desk, gateway):
    deal = gateway.list(DEALS, page_size=10).records[0]
    ask_to_delete(desk, f"/deals/{deal.id}/")
    for address in ("/deals/?size=10", f"/contacts/{deal['cstid']}/"):
        page = desk.get(address)
        asked = re.findall(r'hx-get="(/deals/cells/[^"]+)"', page.content.decode())
        told = [desk.get(each, headers=HTMX).content.decode() for each in asked]
        awaited = re.findall(r"outerHTML:\[data-cell='([^']+)'\]", "".join(told))
        assert awaited == places(page)
        assert f"deals-{deal.id}-" not in "".join(awaited)


def test_the_cells_hold_what_the_records_say(desk, gateway, lists):
    first = gateway.list(DEALS, page_size=10).records[0]
    stage = gateway.get(DEALS, first.id).raw["deal_current_stage"]
    name = catalogue.entry("Acme", Kind.STAGE, stage).name
    assert name in text(desk.get(f"/deals/cells/?ids={first.id}", headers=HTMX))


def test_a_list_that_was_completed_a_moment_ago_is_complete_at_once(desk, standin):
    desk.get(fragment(desk.get("/deals/?size=10")), headers=HTMX)
    page = desk.get("/deals/?size=10")
    assert places(page) == []
    assert "/deals/cells/" not in page.content.decode()


def test_a_record_that_cannot_be_read_says_so(desk, standin):
    page = desk.get("/deals/?size=10")
    standin.fault("status-404", operation="get", times=1)
    assert text(desk.get(fragment(page), headers=HTMX)).count("not read") == 1


def test_reading_stops_where_the_service_asks_for_a_pause(desk, standin):
    page = desk.get("/deals/?size=25")
    standin.fault("status-429:60", operation="get")
    assert text(desk.get(fragment(page), headers=HTMX)).count("not read") == 25
    assert len(standin.ledger(operation="get", resource="deals")) <= lookups.MAX_CONCURRENT_CALLS


def test_an_edited_record_is_read_again(desk, gateway, lists):
    deal = gateway.list(DEALS).records[0].id
    desk.get(f"/deals/cells/?ids={deal}", headers=HTMX)
    assert lookups.cached_records(gateway, DEALS, [deal])
    edit = desk.get(f"/deals/{deal}/edit/")
    desk.post(f"/deals/{deal}/edit/", {**fields(edit), "deal_name": "Dots"})
    assert not lookups.cached_records(gateway, DEALS, [deal])


class Counting:
    """A gateway that counts its calls under way; the first waits until there is a second one."""

    def __init__(self, gateway):
        self.gateway, self.under_way, self.most = gateway, [], 0
        self.second = Event()

    def fingerprint(self, secret):
        return self.gateway.fingerprint(secret)

    def get(self, endpoint, number):
        self.under_way.append(number)
        if len(self.under_way) > 1:
            self.second.set()
        self.second.wait(timeout=60)
        self.most = max(self.most, len(self.under_way))
        found = self.gateway.get(endpoint, number)
        self.under_way.remove(number)
        return found


def test_records_are_read_side_by_side_a_few_at_once(gateway):
    ids = [record.id for record in gateway.list(TASKS, page_size=20).records]
    counting = Counting(gateway)
    assert lookups.read_records(counting, TASKS, ids).keys() == set(ids)
    assert 1 < counting.most <= lookups.MAX_CONCURRENT_CALLS
