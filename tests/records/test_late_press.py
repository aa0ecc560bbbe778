"""A second press of Save that arrives when the form is saved already."""

import pytest

from dashboard.writes.models import Draft
from tests.helpers import text
from tests.page_forms import fields

pytestmark = pytest.mark.django_db


@pytest.fixture
def refused_and_saved(desk, standin):
    """What the first press of a form sent, which the service refused; then the form was saved."""
    first = {**fields(desk.get("/leads/new/")), "cstname": "Zoe Zebra"}
    standin.fault("status-400", operation="create", times=1)
    page = desk.post("/leads/new/", first)
    assert page.status_code == 422
    saved = desk.post("/leads/new/", {**fields(page), "cstname": "Zoe"}, follow=True)
    assert "was created" in text(saved)
    return first


def test_a_late_press_of_a_refused_form_leaves_no_draft(desk, standin, refused_and_saved):
    page = desk.post("/leads/new/", refused_and_saved)
    assert page.status_code == 422
    assert not Draft.objects.exists()
    assert len(standin.ledger(operation="create", resource="leads")) == 2


def test_a_form_that_was_typed_in_again_since_is_kept(desk, refused_and_saved):
    desk.post("/leads/new/", {**refused_and_saved, "cstname": "Somebody else"})
    assert Draft.objects.count() == 1
