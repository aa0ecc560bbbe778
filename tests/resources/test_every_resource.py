"""The pages of every resource, from a new form to a deleted record, in every profile."""

import re

import pytest

from dashboard.gateway import Missing
from dashboard.schema.registry import RESOURCES
from tests.conftest import every_profile, one_everyday
from tests.helpers import ask_to_delete, delete_now, text
from tests.page_forms import fields

LINE = {"line_0_item_name": "Work", "line_0_item_id": "501"}
LINE |= {"line_0_quantity": "2", "line_0_price": "10"}
NEEDED = {
    "contacts": {"cstname": "Zoë Zebra", "contact_type": "1"},
    "leads": {"cstname": "Zoë Zebra"},
    "deals": {"deal_name": "Stripes", "pipeline_id": "1"},
    "tasks": {"title": "Paint it", "start_datetime": "2 Mar 2026 09:00"},
    "estimates": {"template_id": "11", **LINE},
    "invoices": {"template_id": "11", **LINE},
}
PICKED = {"deals": "cstid", "tasks": "cstid", "estimates": "customer_id", "invoices": "customer_id"}
CHANGED = {
    "contacts": ("ct_taxnumber", "ZX-81"),
    "leads": ("lead_source", "Word of mouth"),
    "deals": ("deal_source", "Word of mouth"),
    "tasks": ("description", "With care"),
    "estimates": ("reference", "ZX-81"),
    "invoices": ("reference", "ZX-81"),
}
each = pytest.mark.parametrize("resource", RESOURCES.values(), ids=lambda resource: resource.name)


def typed_into(desk, resource, zebra) -> dict:
    """The fields of a new record with the required ones filled in."""
    typed = dict(NEEDED[resource.name])
    if picker := PICKED.get(resource.name):
        typed |= {picker: str(zebra), f"{picker}-text": None}
    return fields(desk.get(f"/{resource.name}/new/"), **typed)


@each
@every_profile
def test_a_record_is_created_found_changed_and_deleted(
    desk, unpublished, lists, gateway, zebra, resource
):
    live_a_life(desk, gateway, zebra, resource)


def live_a_life(desk, gateway, zebra, resource):
    """Create a record, find it in the list, change it and delete it."""
    made = desk.post(f"/{resource.name}/new/", typed_into(desk, resource, zebra), follow=True)
    assert "was created" in text(made)
    address = made.redirect_chain[-1][0]
    title = re.search(r"<h1[^>]*>\s*([^<]+?)\s*<", made.content.decode())[1]

    found = desk.get(f"/{resource.name}/", {"search": title})
    assert f'href="{address}"' in found.content.decode()
    if resource.name in PICKED:
        assert "Zebra Ltd" in text(found)

    name, value = CHANGED[resource.name]
    form = desk.get(f"{address}edit/")
    opened = fields(form, **{name: value})
    if "lose_unreadable" in form.content.decode():
        opened["lose_unreadable"] = "on"
    changed = desk.post(f"{address}edit/", opened, follow=True)
    assert "changes were saved" in text(changed)
    assert value in text(changed)

    gone = delete_now(desk, ask_to_delete(desk, address))
    assert "was deleted" in text(gone)
    if resource.name != "leads":
        with pytest.raises(Missing):
            gateway.get(resource.endpoint, int(address.split("/")[-2]))
    assert f'href="{address}"' not in desk.get(f"/{resource.name}/").content.decode()


@one_everyday("resource", RESOURCES.values())
@every_profile
def test_every_record_of_a_page_opens(desk, unpublished, lists, resource):
    page = desk.get(f"/{resource.name}/?size=10")
    addresses = set(re.findall(rf'href="(/{resource.name}/\d+/)"', page.content.decode()))
    assert len(addresses) == 10
    for address in sorted(addresses):
        assert desk.get(address).status_code == 200
        # 409: the page explains why the record cannot be edited.
        assert desk.get(f"{address}edit/").status_code in (200, 409)
