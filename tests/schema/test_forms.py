"""An edit form sends the touched fields only."""

import pytest
from django.http import QueryDict
from hypothesis import given
from hypothesis import strategies as st

from dashboard.gateway import CONTACTS, TASKS, Rejected
from dashboard.gateway.records import record_of
from dashboard.reader.rejections import SEE_DETAILS, our_sentence
from dashboard.resources.contacts import ContactCreateForm, ContactEditForm
from dashboard.resources.tasks import TaskEditForm
from dashboard.schema.record_form import conflicts, open_snapshot, seal_snapshot
from tests.page_forms import fields

RAW = {
    "cstid": 17,
    "cstname": "Ärzte GmbH",
    "contact_type": "2",
    "cstemail": "not an address",
    "cstmobile": "+49 30 1",
    "cstmobile_country_id": None,
    "cstaddress": "Gate 1\r\nBerlin",
    "tags": [{"id": 4, "name": "VIP"}, {"id": 9, "name": "Net 30"}],
    "custom_fields": {"Size": "L", "Floors": 3},
}


def contact(**changes):
    return record_of(CONTACTS, {**RAW, **changes})


def typed(form: ContactEditForm, **changes) -> QueryDict:
    """The data that a browser would post for this form, with some fields changed."""
    data = QueryDict(mutable=True)
    for name, value in {**form.initial, **changes}.items():
        if isinstance(value, dict):
            data.setlist(f"{name}-name", list(value))
            data.setlist(f"{name}-value", [str(item) for item in value.values()])
        else:
            data[name] = str(value).replace("\r\n", "\n").replace("\n", "\r\n")
    return data


def edited(record=None, **changes) -> ContactEditForm:
    opened = ContactEditForm.read(record or contact())
    return ContactEditForm(
        typed(ContactEditForm(opened_with=opened), **changes), opened_with=opened
    )


def test_only_touched_fields_are_sent():
    form = edited(cstname="Ärzte AG", cstmobile="")
    assert form.is_valid()
    assert form.payload() == {"cstname": "Ärzte AG", "cstmobile": ""}


def test_a_touched_field_is_validated():
    form = edited(cstemail="still not an address")
    assert list(form.errors) == ["cstemail"]


def test_untouched_custom_values_keep_their_type():
    form = edited(custom_fields={"Size": "XL", "Floors": "3"})
    assert form.is_valid()
    assert form.payload() == {"custom_fields": {"Size": "XL", "Floors": 3}}


@pytest.mark.parametrize(
    ("field", "emptied", "sent"),
    [("tag_ids", "", []), ("custom_fields", {"Size": "", "Floors": " "}, {})],
)
def test_emptying_a_whole_set_requires_confirmation(field, emptied, sent):
    form = edited(**{field: emptied})
    assert list(form.errors) == [f"empty_{field}"]
    form = edited(**{field: emptied, f"empty_{field}": "on"})
    assert form.is_valid()
    assert form.payload() == {field: sent}


def test_a_value_without_a_name_is_refused_beside_the_field():
    form = edited(custom_fields={"Size": "L", "": "lost"})
    assert "Give “lost” a name" in form.errors["custom_fields"][0]


def test_an_unreadable_field_is_disabled():
    record = contact(cstmobile_country_id={"odd": 1})
    form = edited(record, cstmobile_country_id="4")
    assert form.is_valid()
    assert form.payload() == {}
    assert form.fields["cstmobile_country_id"].disabled


def test_a_new_contact_sends_the_filled_in_fields():
    data = QueryDict(
        "cstname=Ada&contact_type=1&cstemail=&cst_tag_id=4,+9&cstemailnotify=on"
        "&custom_fields-name=Size&custom_fields-value=L"
    )
    form = ContactCreateForm(data)
    assert form.is_valid(), form.errors
    assert form.payload() == {
        "cstname": "Ada",
        "contact_type": 1,
        "cst_tag_id": [4, 9],
        "custom_fields": {"Size": "L"},
        "cstemailnotify": True,
        "cstsmsnotify": False,
        "cst_whatsapp_notify": False,
    }


def test_a_business_cannot_belong_to_a_business():
    form = ContactCreateForm(QueryDict("cstname=Acme&contact_type=2&contact_parent=3"))
    assert form.errors["contact_parent"] == ["Only an individual can belong to a business."]


def test_only_a_change_to_the_same_field_is_a_conflict():
    form = edited(cstname="Ärzte AG")
    assert form.is_valid()
    assert list(conflicts(form, ContactEditForm.read(contact(cstmobile="1")))) == []
    theirs = ContactEditForm.read(contact(cstname="Doctors Ltd"))
    assert list(conflicts(form, theirs)) == [("cstname", "Ärzte GmbH", "Doctors Ltd")]
    assert list(conflicts(form, ContactEditForm.read(contact(cstname="Ärzte AG")))) == []


def test_service_errors_go_to_their_fields_and_the_rest_to_the_form():
    form = edited(cstname="Ärzte AG")
    form.show_rejection(Rejected(fields={"cstname": ["Taken."], "plan": ["Full."]}))
    assert form.errors == {"cstname": [our_sentence("Taken.")], "__all__": [SEE_DETAILS]}
    assert form.service_words == ["cstname: Taken.", "plan: Full."]


def test_a_snapshot_is_valid_only_unaltered_and_for_its_record():
    sealed = seal_snapshot({"cstname": "Ärzte"}, of="contacts/17")
    assert open_snapshot(sealed, of="contacts/17") == {"cstname": "Ärzte"}
    assert open_snapshot(sealed, of="contacts/18") is None
    assert open_snapshot(sealed[:-1], of="contacts/17") is None
    assert open_snapshot("", of="contacts/17") is None


@pytest.mark.parametrize(("came", "said"), [(None, "Not set"), ("", "Not set"), (7, "unknown (7)")])
def test_an_unknown_current_choice_is_offered_and_kept(came, said):
    raw = {"activity_id": 5, "title": "Call", "cstid": 17, "status": came, "priority": came}
    opened = TaskEditForm.read(record_of(TASKS, {**raw, "start_datetime": "2026-03-05T15:00:00"}))
    page = f"<form data-save-form>{TaskEditForm(opened_with=opened).as_div()}</form>"
    data = QueryDict(mutable=True)
    data.update(fields(page, title="Call back"))
    form = TaskEditForm(data, opened_with=opened)
    assert page.count(f">{said}</option>") == 2
    assert form.is_valid(), form.errors
    assert form.payload() == {"title": "Call back"}


@given(
    st.dictionaries(
        st.sampled_from(list(RAW)), st.none() | st.text() | st.integers() | st.lists(st.text())
    )
)
def test_an_untouched_form_sends_nothing_for_any_record(odd):
    record = record_of(CONTACTS, {**RAW, **odd, "cstid": 17})
    form = edited(record)
    assert form.is_valid(), form.errors
    assert form.payload() == {}
