"""Lists under a name: built-in, private, shared, and the one that a list opens with."""

import re
from urllib.parse import urlencode

import pytest

from dashboard.gateway import CONTACTS
from dashboard.office import choices as preferences
from dashboard.office.models import SavedView
from dashboard.schema.registry import RESOURCES
from tests.helpers import text
from tests.page_forms import fields
from tests.workspaces import connect

pytestmark = pytest.mark.django_db


def names(page) -> list[str]:
    html = page.content.decode()
    nav = re.search(r'<nav class="views".*?</nav>', html, re.S)[0]
    return [name.strip() for name in re.findall(r"<a [^>]*>([^<]+)<", nav)]


def current(page) -> str:
    nav = re.search(r'<nav class="views".*?</nav>', page.content.decode(), re.S)[0]
    return re.search(r'aria-current="page">([^<]+)<', nav)[1].strip()


def save(client, address: str, name: str, **typed):
    return client.post(address, {"name": name, **typed})


@pytest.mark.parametrize("resource", RESOURCES.values(), ids=lambda each: each.name)
def test_every_built_in_view_opens(desk, manager, resource):
    preferences.remember_own_id(manager, "Acme", "7")
    page = desk.get(f"{resource.url()}?view=all")
    for view in page.context["list_page"].saved_lists.all:
        shown = desk.get(view.url)
        assert shown.status_code == 200
        assert current(shown) == view.label
        assert "Modified" not in text(shown)
        state = shown.context["list_page"].query.saved_state()
        assert state in (view.params, view.params.replace("=me", "=7"))  # it is found by its text


def test_the_tasks_open_with_those_that_are_open(desk, standin):
    page = desk.get("/tasks/")
    assert "Status: Open" in text(page)
    assert "status=0" in str(standin.ledger(operation="list")[-1]["query"])
    cleared = re.search(r'class="chip-clear" href="([^"]+)"', page.content.decode())[1]
    assert "Status: Open" not in text(desk.get(cleared.replace("&amp;", "&")))


def test_a_list_is_saved_under_a_name(desk, manager):
    page = desk.get("/deals/?pipeline_id=2&sort=deal_amount&columns=deal_amount,deal_source")
    address = re.search(r'href="([^"]+)">Save as view', page.content.decode())[1]
    saved = save(desk, address.replace("&amp;", "&"), "Big renewals")
    assert saved.status_code == 302
    page = desk.get(saved["Location"])
    html = page.content.decode()
    assert current(page) == "Big renewals"
    assert '<input type="hidden" name="pipeline_id" value="2">' in html
    assert "Modified" not in text(page)
    view = SavedView.objects.get()
    assert (view.user, view.workspace, view.shared) == (manager, "Acme", False)


def test_a_changed_view_says_so_and_is_saved_or_left(desk):
    url = save(desk, "/deals/views/save/?pipeline_id=2", "Renewals")["Location"]
    key = SavedView.objects.get().pk
    page = desk.get(f"/deals/?pipeline_id=1&view=v{key}")
    assert "Modified" in text(page)
    assert f'href="{url.replace("&", "&amp;")}">Reset</a>' in page.content.decode()
    state = re.search(r'name="state" value="([^"]*)"', page.content.decode())[1]
    saved = desk.post(f"/deals/views/{key}/", {"state": state.replace("&amp;", "&")})
    assert saved["Location"] == f"/deals/?pipeline_id=1&view=v{key}"
    assert "Modified" not in text(desk.get(saved["Location"]))


@pytest.mark.parametrize(
    ("pressed", "url"),
    [
        ({"state": "pipeline_id=1"}, "/deals/?pipeline_id=1"),
        ({"name": "Renewals 2"}, "/deals/"),
        ({"delete": "1"}, "/deals/"),
    ],
)
def test_the_list_is_shown_in_place_of_a_view_that_was_deleted_elsewhere(desk, pressed, url):
    save(desk, "/deals/views/save/?pipeline_id=2", "Renewals")
    view = SavedView.objects.get()
    page = f"/deals/views/{view.pk}/"
    view.delete()
    answer = desk.post(page, pressed)
    assert answer["Location"] == url
    assert "This view no longer exists." in text(desk.get(answer["Location"]))
    assert not SavedView.objects.exists()


def test_a_list_that_looks_like_a_view_is_that_view(desk):
    page = desk.get("/deals/?closes=this-month")
    assert page.context["list_page"].saved_list.key == "closing"
    assert "Save as view" not in text(page)


def test_only_ones_own_and_shared_views_are_seen(desk, client_of, with_keys, editor, manager):
    save(desk, "/deals/views/save/?pipeline_id=2", "Mine")
    save(desk, "/deals/views/save/?pipeline_id=1", "Ours", shared="on")
    other = client_of(with_keys(editor))
    assert names(other.get("/deals/"))[-1] == "Ours"
    private, shared = SavedView.objects.get(shared=False), SavedView.objects.get(shared=True)
    assert other.get(f"/deals/views/{private.pk}/")["Location"] == "/deals/"
    assert other.post(f"/deals/views/{private.pk}/", {"delete": "1"})["Location"] == "/deals/"
    assert SavedView.objects.filter(pk=private.pk).exists()
    assert other.get(f"/deals/views/{shared.pk}/").status_code == 403
    assert other.post(f"/deals/views/{shared.pk}/", {"delete": "1"}).status_code == 403
    assert "Ours" not in names(other.get("/invoices/"))


def test_an_editor_does_not_share(client_of, with_keys, editor):
    client = client_of(with_keys(editor))
    assert "everybody" not in text(client.get("/deals/views/save/"))
    save(client, "/deals/views/save/", "Mine", shared="on")
    assert not SavedView.objects.get().shared


def test_a_manager_changes_a_shared_view_of_somebody_else(desk, administrator):
    view = SavedView.objects.create(
        user=administrator, workspace="Acme", resource="deals", name="Ours", shared=True
    )
    desk.post(f"/deals/views/{view.pk}/", {"name": "Theirs", "shared": "on"})
    view.refresh_from_db()
    assert (view.name, view.user) == ("Theirs", administrator)


def test_another_workspace_has_its_own_views(desk, client_of, editor, standin):
    save(desk, "/deals/views/save/", "Ours", shared="on")
    access, secret = standin.keys["globex"][0]
    connect(editor, access=access, secret=secret, workspace="Globex")
    other = client_of(editor)
    assert "Ours" not in names(other.get("/deals/"))
    assert other.get(f"/deals/views/{SavedView.objects.get().pk}/")["Location"] == "/deals/"


def test_a_list_opens_with_the_view_that_a_person_chose(desk, client_of, with_keys, editor):
    desk.post("/invoices/views/first/", {"view": "overdue"})
    assert "Payment: Overdue" in text(desk.get("/invoices/"))
    assert "Payment: Overdue" not in text(desk.get("/invoices/?view=all"))
    assert "Payment: Overdue" not in text(client_of(with_keys(editor)).get("/invoices/"))


def test_the_key_of_a_view_alone_opens_it_and_an_emptied_view_is_all_records(desk):
    opened = desk.get("/invoices/?view=overdue").context["list_page"]
    assert [chip.label for chip in opened.chips] == ["Payment: Overdue"]
    emptied = desk.get(opened.chips[0].url).context["list_page"]
    assert (emptied.chips, emptied.saved_list.label) == ([], "All")


def test_a_first_view_that_was_deleted_is_all_records(desk):
    save(desk, "/deals/views/save/?pipeline_id=2", "Renewals")
    desk.post("/deals/views/first/", {"view": SavedView.objects.get().key})
    assert "Pipeline:" in text(desk.get("/deals/"))
    desk.post(f"/deals/views/{SavedView.objects.get().pk}/", {"delete": "1"})
    page = desk.get("/deals/")
    assert page.status_code == 200
    assert "Pipeline:" not in text(page)


@pytest.mark.parametrize(
    ("name", "search", "words"),
    [
        ("   ", "", "Error"),
        ("x" * 61, "", "Error"),
        ("Renewals", "", "already have a view with this name"),
        ("Long", "ü" * 1500, "too long to save"),
        ("One too many", "", "Delete one first"),
    ],
)
def test_a_view_that_cannot_be_kept_is_refused_with_the_reason(
    desk, monkeypatch, name, search, words
):
    save(desk, "/deals/views/save/", "Renewals")
    if words == "Delete one first":
        monkeypatch.setattr("dashboard.lists.saved_lists.MAX_VIEWS", 1)
    page = save(desk, "/deals/views/save/?" + urlencode({"search": search}), name)
    assert words in page.content.decode()
    assert SavedView.objects.count() == 1


def test_a_list_has_so_many_views_for_everybody(desk, monkeypatch):
    monkeypatch.setattr("dashboard.lists.saved_lists.MAX_SHARED", 1)
    save(desk, "/deals/views/save/", "Ours", shared="on")
    ours = SavedView.objects.get()
    assert "save this one for yourself" in text(
        save(desk, "/deals/views/save/", "Full", shared="on")
    )
    assert save(desk, "/deals/views/save/", "Mine").status_code == 302
    assert save(desk, "/leads/views/save/", "Of leads", shared="on").status_code == 302
    assert save(desk, f"/deals/views/{ours.pk}/", "Renamed", shared="on").status_code == 302
    assert sorted(view.name for view in SavedView.objects.all()) == ["Mine", "Of leads", "Renamed"]


def test_what_the_person_created_here_is_found_by_the_own_history(desk, gateway, editor):
    gateway.create(CONTACTS, {"cstname": "Elsewhere", "contact_type": 1})
    desk.post("/contacts/new/", {**fields(desk.get("/contacts/new/")), "cstname": "Here"})
    page = text(desk.get("/contacts/?created=me"))
    assert "1 contact " in page
    assert "Here" in page


def test_a_view_that_no_key_opens_is_left_out(desk):
    save(desk, "/deals/views/save/?search=Zebra", "Acorn")
    SavedView.objects.update(content="broken")
    assert names(desk.get("/deals/?view=all")) == ["All", "Closing this month", "Entered by me"]
