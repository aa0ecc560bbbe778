"""A messy file becomes records: read, matched, checked, fixed, and sent by a worker."""

import re
from datetime import timedelta

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db.models.functions import Now
from django.test import override_settings

from dashboard.core.retention import purge
from dashboard.gateway import CONTACTS, Gateway
from dashboard.imports import duplicates, import_file
from dashboard.imports.models import Import
from dashboard.jobs.models import Job
from dashboard.writes.models import Write
from tests import workspaces
from tests.conftest import every_profile
from tests.helpers import encryption_key, text, undo
from tests.jobs.conftest import work
from tests.jobs.test_export_page import everything
from tests.page_forms import fields
from tests.tables.files import xlsx

CSV = """Customer list 2026;;;;
Company;Mail;Tel.;Kind;Old no.
Zebra GmbH;info@zebra.example;+49 30 1234567;firm;1
Yara Yellow;yara@yellow.example;;person;2
;nameless@wrong.example;;person;3
Xaver Xanthos;xaver@;;supplier;4
zebra  gmbh;info@zebra.example;;firm;5
"""


def upload(desk, data=CSV, name="list.csv", resource="contacts"):
    content = data.encode("cp1252") if isinstance(data, str) else data
    answer = desk.post(f"/{resource}/import/", {"file": SimpleUploadedFile(name, content)})
    assert answer.status_code == 302, answer.content.decode()
    return answer["Location"]


def send(desk, url, **more):
    """Send the file, and let a worker carry out its job."""
    desk.post(url, {**fields(desk.get(url)), **more, "do": "send"})
    work()


def counts(page):
    return dict(page.context["counts"])


def mapped(page):
    """Where the columns go, "" for those that are left out."""
    return [one.target.name if one.target else "" for one in page.context["columns"]]


def used(page):
    return [target.name for target in page.context["used"]]


def names(gateway, endpoint=CONTACTS):
    return [record["cstname"] for record in everything(gateway, endpoint)]


@every_profile
def test_the_way_from_a_messy_file_to_records(desk, gateway):
    url = upload(desk)
    desk.post(url, {**fields(desk.get(url)), "field-0": "cstname"})
    page = desk.get(url)
    edits = {
        "cell-5-cstname": "Nameless Ned",
        "cell-6-cstemail": "xaver@xanthos.example",
        "cell-6-contact_type": "2",
        "exclude-5": "1",
    }
    desk.post(url, {**fields(page), **edits})
    page = desk.get(url)
    assert counts(page) == {"duplicate_row": 1, "ready": 3, "excluded": 1}
    assert not set(names(gateway)) & {"Zebra GmbH", "Xaver Xanthos"}
    answer = desk.post(url, {**fields(page), "do": "send"})
    assert answer["Location"] == f"/jobs/{Job.objects.get().pk}/"
    work()
    found = names(gateway)
    assert {name for name in found if name[0] in "XYZ" and " " in name} >= {
        "Zebra GmbH",
        "Yara Yellow",
        "Xaver Xanthos",
    }
    assert not {"Nameless Ned", "zebra  gmbh"} & set(found)
    zebra = next(one for one in everything(gateway, CONTACTS) if one["cstname"] == "Zebra GmbH")
    assert (zebra["cstemail"], zebra["contact_type"]) == ("info@zebra.example", 2)


def test_people_who_are_there_already_are_left_out_unless_they_are_wanted(desk, gateway):
    there = next(one for one in everything(gateway, CONTACTS) if one["cstemail"])
    url = upload(desk, f"Name,Email\n{there['cstname']},{there['cstemail'].upper()}\n")
    page = desk.get(url)
    assert counts(page) == {"exists": 1}
    record, *_ = page.context["records"].values()
    assert (record.same.id, record.same.title) == (there.id, there["cstname"])
    desk.post(url, {**fields(page), "on_existing": "create"})
    assert counts(desk.get(url)) == {"ready": 1}


@every_profile
def test_people_who_are_there_are_changed_in_the_columns_of_the_file_alone(desk, gateway):
    made = gateway.create(
        CONTACTS,
        {"cstname": "Uma Umber", "contact_type": 2, "cstemail": "uma@umber.example",
         "cstaddress": "Old Street"},
    )  # fmt: skip
    text = "Email,Phone,Address\numa@umber.example,+49 30 5551234,\n"
    url = upload(desk, text)
    desk.post(url, {**fields(desk.get(url)), "on_existing": "update"})
    page = desk.get(url)
    assert counts(page) == {"change": 1}
    send(desk, url)
    now = gateway.get(CONTACTS, made.id)
    assert now["cstmobile"].endswith("5551234")
    assert (now["cstname"], now["contact_type"], now["cstaddress"]) == (
        "Uma Umber",
        2,
        "Old Street",
    )


@every_profile
def test_a_record_that_changed_since_the_check_is_skipped_and_listed(desk, gateway):
    body = {"cstname": "Uma Umber", "contact_type": 2, "cstemail": "uma@umber.example"}
    made = gateway.create(CONTACTS, body)
    url = upload(desk, "Email,Phone\numa@umber.example,+49 30 5551234\n")
    desk.post(url, {**fields(desk.get(url)), "on_existing": "update"})
    desk.post(url, {**fields(desk.get(url)), "do": "send"})
    gateway.update(CONTACTS, made.id, {"cstname": "Uma Changed"})
    work()
    job = Job.objects.get()
    assert job.counts == {"skipped": 1}
    assert "Changed since it was selected: Name." in desk.get(f"/jobs/{job.pk}/").content.decode()


@every_profile
def test_a_row_with_an_id_changes_that_record(desk, gateway):
    there = everything(gateway, CONTACTS)[3]
    email = there["cstemail"]
    url = upload(desk, f"ID,Name,Email\n{there.id},Renamed Rita,{email}\n#{there.id},Nobody,\n")
    desk.post(url, {**fields(desk.get(url)), "on_existing": "update"})
    page = desk.get(url)
    assert counts(page) == {"change": 1, "needs_answer": 1}
    send(desk, url)
    assert gateway.get(CONTACTS, there.id)["cstname"] == "Renamed Rita"


def test_the_list_is_read_once_a_minute_and_again_before_it_is_sent(desk, standin, gateway):
    url = upload(desk, "Name,Email\nNora New,nora@new.example\n")
    page = desk.get(url)
    before = len(standin.ledger(operation="list", resource="contacts"))
    assert counts(desk.get(f"{url}?show=ready")) == {"ready": 1}
    assert len(standin.ledger(operation="list", resource="contacts")) == before
    body = {"cstname": "Nora New", "contact_type": 1, "cstemail": "nora@new.example"}
    gateway.create(CONTACTS, body)
    assert desk.post(url, {**fields(page), "do": "send"})["Location"] == url
    assert counts(desk.get(url)) == {"exists": 1}
    assert not Job.objects.exists()


def test_a_business_is_found_by_its_name(desk, gateway):
    made = gateway.create(CONTACTS, {"cstname": "Umbra Ltd", "contact_type": 2})
    url = upload(desk, "Name,Belongs to business\nIra Inn,umbra ltd\nJoe Jin,Nowhere Inc\n")
    page = desk.get(url)
    assert counts(page) == {"needs_fixing": 1, "ready": 1}
    told = page.context["rows"][0].errors["contact_parent"]
    assert told == "No match for “Nowhere Inc”. Choose one above, or enter its ID."
    desk.post(url, {**fields(page), "cell-3-contact_parent": "UMBRA LTD"})
    send(desk, url)
    found = {one["cstname"]: one.id for one in everything(gateway, CONTACTS)}
    for name in ("Ira Inn", "Joe Jin"):
        assert gateway.get(CONTACTS, found[name])["contact_parent"] == made.id


def test_what_was_not_shown_is_not_sent(desk):
    url = upload(desk, "Name,Email\nPia,pia@example.com\nQuin,quin@example.com\n")
    page = fields(desk.get(url))
    answer = desk.post(url, {**page, "field-1": "", "do": "send"}, follow=True)
    assert "have changed since you checked" in answer.content.decode()
    assert not Job.objects.exists()


@every_profile
def test_an_import_is_undone_except_for_what_was_changed_since(desk, gateway):
    text = "Name,Email,Phone,Type\nAda One,ada@one.example,+49 30 5551234,person\n"
    text += "Bea Two,bea@two.example,,firm\nCid Three,cid@three.example,,firm\n"
    url = upload(desk, text)
    send(desk, url)
    done = Job.objects.get()
    gateway.update(CONTACTS, done.rows.get(number=2).record_id, {"cstname": "Bea Changed"})
    proposed = desk.post(f"/imports/undo/{done.pk}/")["Location"]
    assert {"Ada One", "Bea Changed", "Cid Three"} <= set(names(gateway))
    desk.post(f"{proposed}start/")
    work()
    left = set(names(gateway))
    assert "Bea Changed" in left
    assert not {"Ada One", "Cid Three"} & left


def test_in_a_long_list_each_row_is_looked_up_as_it_is_sent(desk, gateway, monkeypatch):
    monkeypatch.setattr(duplicates, "MAX_PAGES", 0)
    there = next(one for one in everything(gateway, CONTACTS) if one["cstemail"])
    before = len(names(gateway))
    rows = (there["cstname"], there["cstemail"]), ("Another", there["cstemail"]), ("Nora", "n@n.eu")
    url = upload(desk, "Name,Email\n" + "".join(f"{name},{email}\n" for name, email in rows))
    page = desk.get(url)
    assert counts(page) == {"ready": 3}
    assert page.context["looked_up_later"]
    send(desk, url)
    states = dict(Job.objects.get().rows.values_list("number", "state"))
    assert states == {1: "skipped", 2: "skipped", 3: "saved"}
    assert len(names(gateway)) == before + 1


def test_a_lead_that_is_a_contact_in_a_long_list_is_skipped(desk, gateway, monkeypatch):
    monkeypatch.setattr(duplicates, "MAX_PAGES", 0)
    body = {"cstname": "Bert Bell", "contact_type": 1, "cstemail": "bert@bell.example"}
    gateway.create(CONTACTS, body)
    rows = "Bert Bell,bert@bell.example\nNora New,nora@new.example\n"
    url = upload(desk, f"Name,Email\n{rows}", resource="leads")
    send(desk, url)
    states = dict(Job.objects.get().rows.values_list("number", "state"))
    assert states == {1: "skipped", 2: "saved"}


def test_rows_of_a_long_list_share_values_as_those_of_a_short_one(desk, gateway, monkeypatch):
    monkeypatch.setattr(duplicates, "MAX_PAGES", 0)
    gateway.create(CONTACTS, {"cstname": "Old", "contact_type": 1, "cstemail": "old@shared.eu"})
    url = upload(desk, "Name,Email\nAnna Ash,info@shared.eu\nCara Cole,info@shared.eu\n"
                 "Anna Ash,\nAnna Ash,anna@gmail.com\nNew,old@shared.eu\n")  # fmt: skip
    send(desk, url)
    states = dict(Job.objects.get().rows.values_list("number", "state"))
    assert states == {1: "saved", 2: "saved", 3: "saved", 4: "saved", 5: "skipped"}


def test_what_was_chosen_for_one_sheet_is_kept_until_another_is_chosen(desk):
    data = xlsx({"One": [["Whom"], ["Ann"]], "Two": [["Name"], ["Ben"]]})
    url = upload(desk, data, "two.xlsx")
    page = desk.get(url)
    sheet = page.content.decode().partition('id="sheet"')[2].partition("</select>")[0]
    assert sheet.count("selected") == 0
    desk.post(url, {**fields(page), "field-0": "cstname", "sheet": ""})
    assert used(desk.get(url)) == ["cstname"]
    desk.post(url, {**fields(desk.get(url)), "field-0": "", "sheet": "Two"})
    work()
    page = desk.get(url)
    assert page.context["table"].sheet == "Two"
    assert used(page) == ["cstname"]


def test_what_was_mended_on_one_sheet_does_not_stay_on_another(desk):
    rows = [["Name", "Email"], ["Ann", "ann@"], ["Zoe", ""]]
    url = upload(desk, xlsx({"One": rows, "Two": rows}), "two.xlsx")
    page = desk.get(url)
    edits = {"cell-2-cstemail": "ann@one.example", "exclude-3": "1", "row": ["2", "3"]}
    desk.post(url, {**fields(page), **edits})
    assert counts(desk.get(url)) == {"ready": 1, "excluded": 1}
    typed = {"cell-2-cstemail": "typed@one.example", "row": ["2"]}
    desk.post(url, {**fields(desk.get(url)), **typed, "sheet": "Two"})
    work()
    page = desk.get(url)
    assert counts(page) == {"needs_fixing": 1, "ready": 1}
    assert page.context["rows"][0].text("cstemail") == "ann@"


def test_only_texts_of_the_table_are_kept_as_names(desk):
    url = upload(desk, "Name,Source\nAnn,Fair\n", resource="leads")
    page = desk.get(url)
    names = {f"word {number}": "1" for number in range(50)} | {"Ann": "x" * 500, "Fair": "7"}
    posted = {"means-field": ["cstname"] * len(names), "means-text": [*names]}
    desk.post(url, {**fields(page), **posted, "means": [*names.values()]})
    assert import_file.settings_of(Import.objects.get()).means == {"cstname": {"Fair": "7"}}


def test_the_way_the_file_is_read_can_be_changed(desk):
    url = upload(desk, "Nëme,Email\nPia,pia@example.com\nQuin,quin@example.com\n")
    assert "Check the accents below" in desk.get(url).content.decode()
    page = desk.get(url)
    desk.post(url, {**fields(page), "header": "0"})
    work()
    assert len(desk.get(url).context["table"].rows) == 3
    desk.post(url, {**fields(desk.get(url)), "separator": ";", "header": "1"})
    work()
    assert [shown.column.title for shown in desk.get(url).context["columns"]] == ["Nëme,Email"]


def test_the_columns_of_the_last_file_with_these_headings_are_remembered(desk):
    text = "Ref,Who\n1,Abigail Apple\n"
    first = upload(desk, text)
    desk.post(first, {**fields(desk.get(first)), "field-1": "cstname"})
    targets = mapped(desk.get(upload(desk, text)))
    assert targets == ["", "cstname"]


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "The file is empty."),
        (b"PK\x03\x04broken", "damaged"),
    ],
)
def test_a_file_that_cannot_be_read_is_refused_with_a_reason(desk, data, words):
    answer = desk.post("/contacts/import/", {"file": SimpleUploadedFile("a.csv", data)})
    assert answer.status_code == 422
    assert words in answer.content.decode()
    assert not Import.objects.exists()


def test_what_is_not_sent_waits_and_can_be_discarded(desk):
    url = upload(desk)
    assert f'href="{url}"' in desk.get("/contacts/import/").content.decode()
    page = desk.get(url)
    typed = {**fields(page), "cell-3-cstname": "Mended Mole"}
    done = desk.post(f"{url}discard/", typed, follow=True)
    assert "Discarded: list.csv." in text(done)
    assert desk.get(url).status_code == 404
    assert f'href="{url}"' not in desk.get("/contacts/import/").content.decode()
    back = desk.post(*undo(done), follow=True)
    assert back.redirect_chain[-1][0] == url
    assert "Mended Mole" in back.content.decode()


def test_a_discarded_file_goes_after_a_day_and_can_come_again(desk):
    url = upload(desk)
    desk.post(f"{url}discard/")
    assert purge(Import) == 0
    Import.objects.update(discarded_at=Now() - timedelta(hours=25))
    assert purge(Import) == 1
    assert upload(desk) != url


@pytest.mark.parametrize("column", ["table", "settings"])
def test_a_file_of_a_lost_encryption_key_says_so_and_can_be_discarded(desk, column):
    url = upload(desk)
    lost = [encryption_key()]
    found = Import.objects.get()
    with override_settings(FIELD_ENCRYPTION_KEYS=lost):
        setattr(found, column, {})
    found.save(update_fields=[column])
    page = desk.get(url)
    assert page.status_code == 424
    assert "open this any more" in page.content.decode()
    assert desk.get("/contacts/import/").status_code == 200
    desk.post(f"{url}discard/")
    assert not Import.objects.filter(discarded_at=None).exists()


def test_a_file_belongs_to_the_workspace_that_it_was_read_for(desk, client_of, manager):
    url = upload(desk)
    manager.key_pair.workspace = workspaces.of_name("Globex")
    manager.key_pair.save()
    other = client_of(manager)
    assert other.get(url).status_code == 404
    assert other.post(url, {"do": "send"}).status_code == 404
    assert url not in other.get("/contacts/import/").content.decode()


def test_an_import_is_undone_only_with_keys_of_its_workspace(desk, manager):
    url = upload(desk, "Name\nPia\n")
    job = desk.post(url, {**fields(desk.get(url)), "do": "send"})["Location"].split("/")[2]
    work()
    assert Job.objects.get().counts == {"saved": 1}
    manager.key_pair.workspace = workspaces.of_name("Globex")
    manager.key_pair.save()
    assert desk.post(f"/imports/undo/{job}/")["Location"] == f"/jobs/{job}/"
    assert Job.objects.count() == 1


def test_only_cells_of_known_fields_are_stored(desk):
    url = upload(desk)
    cells = {"cell-3-cstname": "Zora", "cell-3-other": "x"}
    desk.post(url, {**fields(desk.get(url)), **cells})
    assert import_file.settings_of(Import.objects.get()).edits == {"3": {"cstname": "Zora"}}


def test_the_files_that_were_not_sent_are_few(desk, manager):
    first = upload(desk)
    for number in range(19):
        import_file.create(manager, "Acme", "leads", f"{number}.csv", b"Name")
    answer = desk.post("/contacts/import/", {"text": "Name\tEmail\nPia\tpia@example.com"})
    assert answer.status_code == 422
    page = answer.content.decode()
    assert "Send or discard one first." in page
    assert page.count('href="/imports/') == Import.objects.count() == 20
    desk.post(f"{first}discard/")
    upload(desk)


def test_ticks_are_those_of_the_form_unless_the_file_says_others(desk, sent):
    for table in ("Name\nPia\n", "Name,Notify by email\nQuin,no\nRia,yes\n"):
        url = upload(desk, table)
        desk.post(url, {**fields(desk.get(url)), "do": "send"})
        work()
    pia, quin, ria = sent("create", resource="contacts")[-3:]
    assert [each["cstemailnotify"] for each in (pia, quin, ria)] == [True, False, True]
    assert [each["cstsmsnotify"] for each in (pia, quin, ria)] == [True] * 3


def test_no_badge_cries_while_an_import_runs(desk, standin, monkeypatch):
    """*Not sure* counts what is not sure: none of the rows that are just being sent."""
    url = upload(desk, "Name\nZebra\nYara\nXaver\n")
    desk.post(url, {**fields(desk.get(url)), "do": "send"})
    seen = []
    create = Gateway.create

    def watched(*args, **kwargs):
        assert Write.objects.filter(state=Write.State.SENDING).exists()
        seen.append(text(desk.get("/help/")))
        return create(*args, **kwargs)

    monkeypatch.setattr(Gateway, "create", watched)
    standin.fault("reset-before", operation="create", times=1)
    work()
    assert [re.search(r"Not sure \d", page) for page in seen[:1]] == [None]
    assert len(seen) == 3
    assert "Not sure 1" in seen[1], "the answer of the first one was lost"
    assert "Not sure 1" in seen[2], "and of no other"


def test_cells_typed_while_the_file_is_not_read_are_kept(desk):
    url = upload(desk)
    desk.post(url, {**fields(desk.get(url)), "field-0": "cstname"})
    page = fields(desk.get(url))
    Import.objects.update(table="")  # as while it is to be read in another way
    typed = {**page, "cell-5-cstname": "Nameless Ned", "do": "send"}
    assert desk.post(url, typed)["Location"] == url
    page = desk.get(url)
    assert "The cells you corrected are kept." in page.content.decode()
    assert page.context["settings"].edits["5"] == {"cstname": "Nameless Ned"}
    assert not Job.objects.exists()
