"""The home of the settings says what stands on its pages."""

from dashboard.people.models import Workspace
from tests.helpers import text


def test_what_is_missing_is_said_until_it_is_there(client_of, with_keys, administrator):
    browser = client_of(with_keys(administrator))
    assert "Letterhead Add your name and bank account" in text(browser.get("/settings/"))
    Workspace.objects.update(letterhead={"name": "Alder Signs"}, due_days=14)
    page = text(browser.get("/settings/"))
    assert "Letterhead Alder Signs" in page
    assert "due after 14 days" in page
