"""A wrong declaration of a resource stops the start with a sentence that says which."""

from dataclasses import replace

import pytest
from django.core.checks import run_checks
from django.core.management import call_command
from django.core.management.base import SystemCheckError

from dashboard.lists.bulk_actions import offered
from dashboard.people.context import RequestContext
from dashboard.resources.contacts import CONTACTS, ContactCreateForm, ContactEditForm
from dashboard.resources.deals import DEALS
from dashboard.schema import cells
from dashboard.schema.checks import problems
from dashboard.schema.fields import TextField
from dashboard.schema.filters import Choice, Days, RecordOf
from dashboard.schema.inputs import DayField
from dashboard.schema.record_form import RecordForm
from dashboard.schema.registry import RESOURCES
from dashboard.schema.resource import Column, Detail, DuplicateSearch, Section, details
from dashboard.site import checks


class WithoutType(ContactCreateForm):
    contact_type = None


class WithNotes(ContactEditForm):
    cstnotes = TextField(label="Notes")


class WithoutTaxNumber(ContactEditForm):
    ct_taxnumber = None


class WithBirthday(ContactEditForm):
    birthday = DayField(label="Birthday")


def without(resource, name):
    return tuple(column for column in resource.columns if column.name != name)


BROKEN = {
    "contacts: the list of the service has no field “cstaddress” for a column.": replace(
        CONTACTS, columns=(*CONTACTS.columns, Column("cstaddress"))
    ),
    "contacts: the list of the service has no field “nickname” for a column.": replace(
        CONTACTS, columns=(*CONTACTS.columns, Column("nickname", label="Nickname"))
    ),
    "contacts: the column “cstcreated_on” needs a label, as no form field has that name.": replace(
        CONTACTS, columns=(*without(CONTACTS, "cstcreated_on"), Column("cstcreated_on"))
    ),
    "contacts: neither the service nor a form knows the detail “nickname”.": replace(
        CONTACTS, subtitle=(Detail("nickname", label="Nickname"),)
    ),
    "deals: the detail “owner” needs a label, as no form field has that name.": replace(
        DEALS, sections=(Section("Deal", details("owner")),)
    ),
    "contacts: the service has no filter “cstname”.": replace(
        CONTACTS, filters=(Choice("cstname"),)
    ),
    "contacts: the service has no filter “created_to”.": replace(
        CONTACTS, filters=(Days("made", label="Created", sent=("type", "created_to")),)
    ),
    "contacts: the service has no 3 in its filter “type”.": replace(
        CONTACTS, filters=(Choice("type", label="Type", choices={"1": "One", "3": "Three"}),)
    ),
    "deals: the filter “cstid” asks contacts for a filter “kind”.": replace(
        DEALS,
        filters=(
            RecordOf(
                "cstid", label="Company", points_to=CONTACTS.endpoint, base_filters={"kind": "2"}
            ),
        ),
    ),
    "contacts: the create form lacks the field “contact_type”, which the service requires.": (
        replace(CONTACTS, create_form=WithoutType)
    ),
    "contacts: the update form has a field “cstnotes”, which the service does not take there.": (
        replace(CONTACTS, edit_form=WithNotes)
    ),
    "contacts: the update form speaks of a field “ct_taxnumber” that it does not have.": replace(
        CONTACTS, edit_form=WithoutTaxNumber
    ),
    "contacts: the list of the service has no field “cstaddress” to find a duplicate by.": replace(
        CONTACTS,
        duplicate_search=DuplicateSearch(ask=dict, same={"cstaddress": "cstaddress"}),
    ),
    "contacts: the create form has no field “cstcreated_on” to find a duplicate by.": replace(
        CONTACTS,
        duplicate_search=DuplicateSearch(ask=dict, same={"cstcreated_on": "cstcreated_on"}),
    ),
}


def test_the_declarations_of_the_dashboard_are_right():
    assert list(problems(RESOURCES.values())) == []


@pytest.mark.parametrize("sentence", BROKEN)
def test_a_mistake_is_reported_with_its_resource(sentence):
    assert list(problems([BROKEN[sentence]])) == [sentence]


def test_two_resources_may_not_share_a_name_or_a_key():
    assert list(problems([CONTACTS, replace(DEALS, key="c")])) == [
        "deals: the key “c” is that of contacts, too."
    ]
    assert "contacts: the name “contacts” is that of contacts, too." in problems([CONTACTS] * 2)


def test_a_form_field_that_the_reference_does_not_name_may_be_shown_anywhere():
    extended = replace(
        CONTACTS,
        edit_form=WithBirthday,
        columns=(*CONTACTS.columns, Column("birthday")),
        subtitle=details("birthday"),
    )
    assert list(problems([extended])) == []
    assert extended.columns[-1].label == "Birthday"
    assert extended.endpoint.kinds["birthday"] == "date"
    assert "birthday" not in CONTACTS.endpoint.kinds


def test_a_declared_cell_is_not_replaced():
    cell = cells.plain("cstid")
    assert replace(DEALS, subtitle=(Detail("cstid", cell=cell),)).subtitle[0].cell is cell


@pytest.fixture
def broken(monkeypatch):
    sentence, resource = next(iter(BROKEN.items()))
    monkeypatch.setattr(checks, "RESOURCES", {resource.name: resource})
    return sentence


def test_the_startup_checks_refuse_a_wrong_declaration(broken):
    found = run_checks(tags=["dashboard"])
    assert [(message.id, message.msg) for message in found] == [("dashboard.E010", broken)]


def test_a_resource_with_the_letter_of_a_page_stops_the_start(monkeypatch):
    with_key = {CONTACTS.name: replace(CONTACTS, key="p")}
    monkeypatch.setattr(checks, "RESOURCES", with_key)
    with pytest.raises(SystemCheckError, match="contacts: the key “p” is that of the page Setup"):
        call_command("check")


def test_a_list_offers_a_change_only_where_a_field_can_be_given_to_many(gateway, manager):
    ctx = RequestContext(gateway=gateway, person=manager)
    assert [one.name for one in offered(CONTACTS, ctx)] == ["change", "tasks", "delete"]
    bare = replace(CONTACTS, edit_form=Bare)
    assert [one.name for one in offered(bare, ctx)] == ["tasks", "delete"]


class Bare(RecordForm):
    """A form without a field that many records can be given the same value of."""

    cstname = TextField(label="Name")
