"""Drafts in the pages: stored, offered, reopened, and closed by a save."""

import re
from datetime import timedelta

import pytest
from django.db import OperationalError
from django.db.models.functions import Now

from dashboard.gateway import CONTACTS
from dashboard.writes import drafts, ledger
from dashboard.writes.ledger import new_token
from dashboard.writes.models import Draft, Write
from dashboard.writes.sidebar import read_sidebar
from tests.helpers import text, undo, write_of
from tests.page_forms import fields

NEW = "/contacts/new/"


def opened(client, url=NEW, **typed) -> dict:
    """The data that a browser would post, with the draft's mark."""
    return {**fields(client.get(url)), **typed}


def keep(client, form):
    return client.post("/unfinished/keep/", form)


def is_open(count=1):
    return Draft.objects.filter(discarded_at=None).count() == count


def test_an_autosaved_draft_is_offered_reopened_and_closed_by_the_save(desk, sent):
    form = opened(desk, cstname="Zebra", cstnotes="two\nlines", contact_type="2")
    assert keep(desk, form).status_code == 200
    page = desk.get(NEW)
    assert re.search(r"Unfinished: Zebra , \d\d:\d\d", text(page))
    assert 'value="Zebra"' not in page.content.decode()  # never applied automatically
    again = desk.get(page.context["offer"]["url"])
    assert 'value="Zebra"' in again.content.decode()
    assert "This is what you typed" in text(again)
    assert not again.context["form"].errors
    assert again.context["form"]["cstnotes"].value() == "two\nlines"
    assert not sent("create")
    desk.post(NEW, fields(again))
    assert [body["cstname"] for body in sent("create")] == ["Zebra"]
    assert is_open(0)
    assert "Unfinished: Zebra" not in text(desk.get(NEW))


def test_a_reopened_edit_merges_with_changes_of_others(desk, gateway, zebra, sent):
    url = f"/contacts/{zebra}/edit/"
    keep(desk, opened(desk, url, cstmobile="+44 1"))
    gateway.update(CONTACTS, zebra, {"cstname": "Zebra plc"})
    page = desk.get(desk.get(url).context["offer"]["url"])
    desk.post(url, fields(page))
    assert sent("update")[-1] == {"cstmobile": "+44 1"}
    assert gateway.get(CONTACTS, zebra)["cstname"] == "Zebra plc"


def test_a_draft_of_a_deleted_record_can_be_opened(desk, gateway, zebra):
    url = f"/contacts/{zebra}/edit/"
    keep(desk, opened(desk, url, cstname="Zebra GmbH"))
    gateway.delete(CONTACTS, zebra)
    page = desk.get("/unfinished/")
    assert "Edit Zebra Ltd" in text(page)
    assert 'value="Zebra GmbH"' in desk.get(page.context["unfinished"][0]["url"]).content.decode()


def test_the_list_names_drafts_and_discards_and_restores_them(desk):
    keep(desk, opened(desk, cstname="Zebra"))
    page = desk.get("/unfinished/")
    assert re.search(r"New contact: Zebra\s*, \d\d:\d\d", text(page))
    assert "Unfinished 1" in text(desk.get("/contacts/"))
    line = page.context["unfinished"][0]
    page = desk.post(line["discard_url"], follow=True)
    assert "Nothing unfinished" in text(page)
    assert "Recently discarded" in text(page)
    assert len(desk.post(*undo(page), follow=True).context["unfinished"]) == 1
    page = desk.post(line["discard_url"], follow=True)
    back = {"listed": page.context["discarded"][0]["pk"]}
    page = desk.post("/unfinished/put-back/", back, follow=True)
    assert len(page.context["unfinished"]) == 1


def test_a_draft_of_an_invoice_tells_its_customer_lines_and_total(desk):
    lines = {"line": ["0", "1", "2"], "overall_discount": "10", "overall_discount_type": "2"}
    cells = {"line-0-item_name": "Consulting", "line-0-quantity": "2", "line-0-price": "1,250.50"}
    header = {"line-1-type": "header", "line-1-item_name": "Later"}
    named = {"customer_id-text": "Hearth & Stone"}
    keep(desk, opened(desk, "/invoices/new/", **lines, **cells, **header, **named))
    assert re.search(
        r"Invoice for Hearth & Stone\s*, 2 lines, 2,250.90, \d\d:\d\d",
        text(desk.get("/unfinished/")),
    )
    assert "Unfinished: Hearth & Stone, 2 lines, 2,250.90" in text(desk.get("/invoices/new/"))
    assert "Invoice for Hearth & Stone, 2 lines, 2,250.90" in text(desk.get("/"))


def test_all_listed_drafts_are_discarded_and_can_be_restored(desk):
    for name in ("Yak", "Zebra"):
        keep(desk, opened(desk, cstname=name))
    page = desk.get("/unfinished/")
    listed = [one["pk"] for one in page.context["unfinished"]]
    keep(desk, opened(desk, cstname="Typed since"))
    page = desk.post("/unfinished/discard/", {"listed": listed}, follow=True)
    assert [one["name"] for one in page.context["unfinished"]] == ["Typed since"]
    assert {one["name"] for one in page.context["discarded"]} == {"Yak", "Zebra"}
    assert desk.post(*undo(page), follow=True).redirect_chain[-1][0] == "/unfinished/"
    assert is_open(3)


def test_another_persons_drafts_are_not_discarded(desk, client_of, with_keys, editor):
    keep(desk, opened(desk, cstname="Zebra"))
    other = client_of(with_keys(editor))
    other.post("/unfinished/discard/", {"listed": [Draft.objects.get().pk, "x"]})
    assert is_open()
    drafts.discard(Draft.objects.all())
    other.post("/unfinished/put-back/", {"listed": [Draft.objects.get().pk]})
    assert is_open(0)


def test_discarding_a_draft_from_its_form_keeps_the_form(desk):
    keep(desk, opened(desk, cstname="Zebra"))
    url = desk.get(NEW).context["offer"]["discard_url"]
    answer = desk.post(url, {"back": NEW}, headers={"HX-Request": "true"})
    assert text(answer).split() == ["Discarded.", "Undo", "z"]
    assert is_open(0)
    assert desk.post(*undo(answer), follow=True).redirect_chain[-1][0] == NEW
    assert is_open()


def test_another_person_does_not_see_a_draft(desk, client_of, with_keys, editor):
    keep(desk, opened(desk, cstname="Zebra"))
    other, draft = client_of(with_keys(editor)), Draft.objects.get()
    assert not other.get("/unfinished/").context["unfinished"]
    page = other.get(f"{NEW}?draft={draft.pk}")
    assert "Zebra" not in text(page)
    assert "has already been saved or discarded" in text(page)
    assert other.post(f"/unfinished/{draft.pk}/discard/").status_code == 404


def test_a_failed_save_stores_the_draft_without_javascript(desk, standin, zebra):
    standin.refuse()
    desk.post(NEW, opened(desk, cstname="Zebra"))
    assert is_open()
    standin.reset()


def test_a_refused_form_is_listed_with_the_words_of_the_service_until_it_is_saved(desk, standin):
    standin.fault("status-422", operation="create", times=1)
    page = desk.post(NEW, opened(desk, cstname="Zebra"))
    assert page.status_code == 422
    listed = text(desk.get("/unfinished/"))
    assert "Not saved. The CRM rejected this." in listed
    assert "Technical details The CRM said: Fault on request" in listed
    keep(desk, {**fields(page), "cstname": "Zebra Ltd"})
    page = desk.get(f"{NEW}?draft={Draft.objects.get().pk}")
    assert "Fault on request" in text(desk.get("/unfinished/")), "typed on, and not sent again"
    desk.post(NEW, {**fields(page), "cstname": "Zebra Ltd"})
    assert is_open(0)
    assert "Fault on request" not in text(desk.get("/unfinished/"))


def test_an_error_page_says_that_the_draft_is_stored(desk, standin, zebra):
    url = f"/contacts/{zebra}/edit/"
    form = opened(desk, url, cstname="Zebra GmbH", snapshot="forged")
    standin.fault("status-404", operation="get")
    page = desk.post(url, form)
    assert "What you typed is kept under Unfinished" in text(page)
    assert is_open()


def test_a_draft_of_an_unresolved_write_is_hidden_and_closed_when_settled_as_saved(desk, standin):
    standin.fault("reset-after", operation="create", times=1)
    page = desk.post(NEW, opened(desk, cstname="Zebra Unsure"), follow=True)
    assert not desk.get("/unfinished/").context["unfinished"]
    assert "Not sure 1" in text(desk.get("/unsure/"))
    assert "Was contact Zebra Unsure created?" in text(desk.get("/unsure/"))
    url = page.redirect_chain[-1][0]
    desk.post(f"{url}found/", {"record_id": page.context["found"][0].id})
    assert not desk.get("/unfinished/").context["unfinished"]
    assert not Draft.objects.exists()
    assert "Nothing to check" in text(desk.get("/unsure/"))
    assert "if these were saved" not in text(desk.get("/unsure/"))


def test_leaving_a_write_unresolved_shows_its_draft_again(desk, standin):
    standin.fault("reset-before", operation="create", times=1)
    page = desk.post(NEW, opened(desk, cstname="Zebra Unsure"), follow=True)
    desk.post(f"{page.redirect_chain[-1][0]}leave/")
    assert len(desk.get("/unfinished/").context["unfinished"]) == 1


def test_a_draft_that_a_worker_did_not_delete_after_saving_is_not_listed(desk, monkeypatch):
    monkeypatch.setattr(ledger, "_delete_draft", lambda write: None)
    desk.post(NEW, opened(desk, cstname="Zebra"))
    assert Draft.objects.exists()
    assert not desk.get("/unfinished/").context["unfinished"]


def test_typing_in_a_saved_form_starts_another_draft(desk):
    form = opened(desk, cstname="Zebra")
    desk.post(NEW, form)
    answer = keep(desk, {**form, "cstname": "Zebra 2"})
    assert answer.status_code == 410
    assert is_open(0)
    assert keep(desk, {**form, "draft": answer.json()["draft"]}).status_code == 200
    assert is_open()


def test_a_form_of_another_workspace_is_neither_sent_nor_shown(
    desk, manager, with_keys, standin, gateway_to, sent
):
    from tests.workspaces import connect

    form = opened(desk, cstname="Zebra")
    access, secret = standin.keys["globex"][0]
    connect(manager, access=access, secret=secret, workspace="Globex")
    page = desk.post(NEW, form)
    assert page.status_code == 409
    assert "so nothing was sent" in text(page)
    assert not sent("create")
    page = desk.get("/unfinished/")
    assert not page.context["unfinished"]
    assert "You also have unfinished forms in Acme" in text(page)
    with_keys(manager)
    assert len(desk.get("/unfinished/").context["unfinished"]) == 1


def test_nothing_is_said_to_be_kept_of_an_empty_form_of_another_person(
    desk, client_of, with_keys, editor
):
    form = opened(desk)
    page = client_of(with_keys(editor)).post(NEW, form)
    assert "The form was empty." in text(page)
    assert "Unfinished" not in page.content.decode().partition("<main")[2]


def test_a_failed_draft_write_does_not_block_the_save(desk, monkeypatch, sent):
    def refuses(*args):
        raise OperationalError("database is locked")

    form = opened(desk, cstname="Zebra")
    monkeypatch.setattr(drafts, "_write", refuses)
    assert keep(desk, form).status_code == 503
    assert desk.post(NEW, form).status_code == 302
    assert len(sent("create")) == 1


@pytest.mark.parametrize("mark", ["", "forged", None])
def test_a_form_without_a_mark_stores_no_draft(desk, mark):
    form = opened(desk, cstname="Zebra")
    form.pop("draft")
    if mark is not None:
        form["draft"] = mark
    assert keep(desk, form).status_code == 400
    assert desk.post(NEW, form).status_code == 302
    assert not Draft.objects.exists()


def test_many_unsaved_forms_are_listed_in_pages(desk, manager):
    keep(desk, opened(desk, cstname="Zebra"))
    one = Draft.objects.get()
    Draft.objects.bulk_create(
        Draft(token=f"token-{number}", person=manager, workspace=one.workspace, path=one.path,
              content_sealed=one.content_sealed)
        for number in range(119)
    )  # fmt: skip
    sizes = [len(desk.get(f"/unfinished/?page={n}").context["unfinished"]) for n in (1, 2, 3)]
    assert sizes == [50, 50, 20]
    assert "Page 1 of 3" in text(desk.get("/unfinished/"))


def test_own_unsaved_forms_and_deletions_to_tell_of_are_counted_per_workspace(editor, manager):
    for user in (editor, manager):
        for workspace in ("Acme", "Other"):
            place = {"person": user, "workspace": workspace}
            for discarded_at in (None, Now()):
                Draft.objects.create(token=new_token(), discarded_at=discarded_at, **place)
            deletion = {**place, "operation": "delete", "not_before": Now(), "record_id": user.pk}
            for state in Write.State:
                Write.objects.create(token=new_token(), state=state, **deletion)
            closed = {**deletion, "state": "not saved", "resolution": "left"}
            Write.objects.create(token=new_token(), **closed)
            row = {**place, "operation": "delete", "record_id": 1, "state": "waiting"}
            Write.objects.create(token=new_token(), job=3, number=Write.objects.count(), **row)
    # A form; the deletions that wait, are sent, are not sure or were not sent.
    left = read_sidebar(editor, "Acme")
    assert (left.forms, left.deletions) == (1, 4)
    nothing = read_sidebar(editor, "Nowhere")
    assert (nothing.forms, nothing.deletions) == (0, 0)


@pytest.mark.parametrize(("age", "unresolved"), [(timedelta(0), 1), (timedelta(hours=1), 2)])
def test_a_write_under_way_counts_as_unresolved_once_its_process_must_have_died(
    editor, age, unresolved
):
    row = {"person": editor, "workspace": "Acme", "operation": "create"}
    sending = {"state": Write.State.SENDING, "sent_at": Now()}
    end = Now() + timedelta(minutes=1) - age
    Write.objects.create(token="sent", reserved_until=end, **sending, **row)
    Write.objects.create(token="unclear", state=Write.State.NOT_SURE, sent_at=Now(), **row)
    assert read_sidebar(editor, "Elsewhere").unresolved == unresolved


def test_a_form_that_is_refused_in_two_tabs_can_still_be_saved(desk, standin):
    standin.fault("status-400", operation="create", times=2)
    page = desk.post("/leads/new/", {**fields(desk.get("/leads/new/")), "cstname": "Zoe"})
    first_tab = fields(page)
    desk.get(f"/leads/new/?draft={Draft.objects.get().pk}")
    page = desk.post("/leads/new/", {**first_tab, "cstname": "Zoe B"})
    assert desk.post("/leads/new/", {**fields(page), "cstname": "Zoe C"}).status_code == 302


@pytest.mark.parametrize("url", ["/leads/new/", "/unfinished/keep/"])
def test_what_is_typed_into_a_form_that_may_be_saved_is_kept(desk, standin, url):
    standin.fault("reset-after", operation="create", times=1)
    sent = {**fields(desk.get("/leads/new/")), "cstname": "Zoe"}
    desk.post("/leads/new/", sent)
    answer = desk.post(url, {**sent, "cstname": "Yak"})
    if answer.status_code == 410:  # a page stores it again, with this mark
        desk.post(url, {**sent, "cstname": "Yak", "draft": answer.json()["draft"]})
    ledger.resolve_write(Write.objects.get(), Write.Resolution.FOUND, 1)
    [entry] = desk.get("/unfinished/").context["unfinished"]
    assert fields(desk.get(entry["url"]))["cstname"] == "Yak"


def test_a_draft_whose_process_died_before_sending_is_listed(desk, manager, zebra):
    form = {**fields(desk.get(f"/contacts/{zebra}/edit/")), "cstname": "Typed"}
    desk.post("/unfinished/keep/", form)
    row = write_of(manager, form["token"], form_token=form["token"], record_id=zebra)
    ledger.reserve(row)
    Write.objects.update(reserved_until=Now() - timedelta(hours=1))
    assert len(desk.get("/unfinished/").context["unfinished"]) == 1


def test_a_late_autosave_brings_no_unchanged_form_back(desk, zebra):
    form = fields(desk.get(f"/contacts/{zebra}/edit/"))
    assert desk.post(f"/contacts/{zebra}/edit/", form).status_code == 302
    assert desk.post("/unfinished/keep/", form).status_code == 410
    assert is_open(0)
