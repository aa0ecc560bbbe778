"""The declared endpoints agree with the reference."""

import pytest

from dashboard.gateway import CONTACTS, ENDPOINTS, INVOICES, LEADS, TASKS


def test_there_are_26_published_and_4_unpublished_operations() -> None:
    assert sum(len(endpoint.operations) for endpoint in ENDPOINTS) == 26
    unpublished = {f"{e.name}.{operation}" for e in ENDPOINTS for operation in e.unpublished}
    assert unpublished == {"tasks.update", "tasks.delete", "leads.get", "leads.update"}
    assert not any(endpoint.operations & endpoint.unpublished for endpoint in ENDPOINTS)


def test_every_list_has_the_filters_of_the_reference() -> None:
    found = {e.name: {field.name: field.kind for field in e.filters} for e in ENDPOINTS}
    assert found == {
        "contacts": {"type": "integer"},
        "invoices": {
            "inv_status": "integer",
            "cstid": "integer",
            "inv_datetime_from": "date",
            "inv_datetime_to": "date",
        },
        "estimates": {
            "est_status": "integer",
            "cstid": "integer",
            "est_datetime_from": "date",
            "est_datetime_to": "date",
        },
        "deals": {
            "pipeline_id": "integer",
            "deal_current_stage": "integer",
            "cstid": "integer",
            "deal_owner_id": "integer",
        },
        "tasks": {
            "status": "integer",
            "priority": "integer",
            "assigned_user_id": "integer",
            "due_date_from": "date",
            "due_date_to": "date",
        },
        "leads": {"lead_status": "string"},
    }


def test_fields_state_the_limits_of_the_reference() -> None:
    contact, task = ({f.name: f for f in endpoint.create} for endpoint in (CONTACTS, TASKS))
    assert contact["cstname"].max_length == 100
    assert CONTACTS.kinds["tag_ids"] == "integers"
    assert INVOICES.filter("inv_status").choices == ((0, "Open"), (1, "Paid"), (2, "Cancelled"))
    assert task["status"].values == {0, 1, 2, 3, 4}
    assert LEADS.path == "/v1/leads"
    with pytest.raises(KeyError):
        CONTACTS.filter("cstnotes")


def test_names_and_ids_are_among_the_fields_of_a_list() -> None:
    for endpoint in ENDPOINTS:
        names = [field.name for field in endpoint.fields]
        assert endpoint.id_field == names[0]
        assert endpoint.label_field in names
