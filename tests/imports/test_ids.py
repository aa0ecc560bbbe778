"""Numbers are names first, and ids only where the heading or the person says so."""

import pytest

from dashboard.gateway import CONTACTS
from dashboard.imports import duplicates
from dashboard.office.editing import save_entries
from dashboard.office.kinds import Kind
from tests.imports.test_deals_tasks import PIPELINE
from tests.imports.test_documents import ITEM, OTHER_ITEM
from tests.imports.test_file_totals import answer, asked
from tests.imports.test_import import counts, mapped, upload
from tests.imports.test_names import choose
from tests.jobs.test_export_page import exported
from tests.page_forms import fields


@pytest.fixture
def deals(desk, umbra):
    save_entries("Acme", Kind.PIPELINE, [{"code": str(PIPELINE), "name": "Retail"}])
    save_entries(
        "Acme", Kind.USER, [{"code": "7", "name": "Ola Owner"}, {"code": "8", "name": "9"}]
    )

    def upload_deals(text):
        return upload(desk, text, resource="deals")

    return upload_deals


def ids(page):
    return [record.body["cstid"] for record in page.context["records"].values()]


def customers(desk, url):
    page = desk.get(url)
    return [row.cells["cstid"].name for row in page.context["rows"]]


def test_a_number_is_asked_about_once_unless_a_record_is_called_so(desk, deals, gateway, umbra):
    there = gateway.create(CONTACTS, {"cstname": "4711", "contact_type": 2}).id
    url = deals(f"Deal,Company,Pipeline\nA,4711,Retail\nB,{umbra},Retail\nC,{umbra},Retail\n"
                f"D,#{umbra},Retail\n")  # fmt: skip
    page = desk.get(url)
    assert (counts(page), asked(page)) == ({"needs_answer": 2, "ready": 2}, {"ids"})
    [question] = page.context["questions"]
    assert question.example == (
        f"{umbra} isn't a name. The record with this ID is Umbra Ltd. Rows with such a number: 2."
    )
    page = answer(desk, url, ids="id")
    assert counts(page) == {"ready": 4}
    assert ids(page) == [there, umbra, umbra, umbra]
    assert customers(desk, url) == ["4711", *[f"Umbra Ltd, #{umbra}"] * 3]
    page = answer(desk, url, ids="own")
    assert counts(page) == {"needs_fixing": 2, "ready": 2}
    assert [one.text for one in page.context["unmatched"]] == [str(umbra)]


@pytest.mark.parametrize("head", ["Company ID", "cstid"])
def test_under_the_heading_of_ids_a_number_is_one_and_the_page_shows_whose(
    desk, deals, umbra, head
):
    url = deals(f"Deal,{head},Pipeline\nA,{umbra},Retail\n")
    page = desk.get(url)
    if head == "Company ID":  # no field is guessed for it
        desk.post(url, {"field-0": "deal_name", "field-1": "cstid", "field-2": "pipeline_id"})
    assert counts(desk.get(url)) == {"ready": 1}
    assert customers(desk, url) == [f"Umbra Ltd, #{umbra}"]
    assert page.context["questions"] == []


def test_an_id_beside_a_name_must_be_of_one_with_that_name(desk, deals, gateway, umbra):
    twin = gateway.create(CONTACTS, {"cstname": "Umbra Ltd", "contact_type": 2}).id
    other = gateway.create(CONTACTS, {"cstname": "Zebra Ltd", "contact_type": 2}).id
    url = deals(f"Deal,Company,Company ID,Pipeline\nA,Umbra Ltd,{twin},Retail\n"
                f"B,Zebra Ltd,{umbra},Retail\n")  # fmt: skip
    page = desk.get(url)
    assert (counts(page), asked(page)) == ({"ready": 1, "needs_answer": 1}, {"ids"})
    assert ids(answer(desk, url, ids="id")) == [twin, umbra]
    assert customers(desk, url) == [f"Umbra Ltd, #{twin}", f"Umbra Ltd, #{umbra}"]
    page = answer(desk, url, ids="own")
    assert counts(page) == {"needs_fixing": 1, "ready": 1}
    assert {*page.context["unmatched"][0].options} == {str(umbra), str(twin)}
    page = desk.get(f"{url}?show=ready")
    assert ids(page) == [other]


def test_an_id_beside_a_name_must_be_of_a_record(desk, deals, umbra):
    url = deals("Deal,Company,Company ID,Pipeline\nA,Umbra Ltd,987001,Retail\n"
                "B,Umbra Ltd,,Retail\n")  # fmt: skip
    assert counts(answer(desk, url, ids="id")) == {"needs_fixing": 1, "ready": 1}
    page = desk.get(f"{url}?show=ready")
    assert (ids(page), page.context["unmatched"]) == ([umbra], [])
    assert counts(answer(desk, url, ids="own")) == {"ready": 2}


def test_an_id_whose_record_has_another_name_beside_it_waits(desk, deals, umbra):
    url = deals(f"Deal,Customer,Customer ID,Pipeline\nA,Umbra Ltd,{umbra},Retail\n"
                f"B,Zebra Ltd,{umbra},Retail\n")  # fmt: skip
    columns = {"field-1": "", "field-2": "cstid"}
    desk.post(url, {**fields(desk.get(url)), **columns})
    page = desk.get(url)
    assert (counts(page), asked(page)) == ({"ready": 1, "needs_answer": 1}, {"ids"})
    assert ids(answer(desk, url, ids="id")) == [umbra, umbra]
    page = answer(desk, url, ids="own")
    assert counts(page) == {"ready": 1, "needs_fixing": 1}
    assert [one.text for one in page.context["unmatched"]] == ["Zebra Ltd"]


def test_entries_of_lists_are_names_first(desk, deals):
    url = deals("Deal,Company,Pipeline,Owner\nA,Umbra Ltd,Retail,9\nB,Umbra Ltd,Retail,7\n"
                "C,Umbra Ltd,Retail,#7\n")  # fmt: skip
    page = desk.get(url)
    assert (counts(page), asked(page)) == ({"ready": 2, "needs_answer": 1}, {"ids"})
    page = answer(desk, url, ids="id")
    owners = [one.body["deal_owner_id"] for one in page.context["records"].values()]
    assert owners == [8, 7, 7]
    page = answer(desk, url, ids="own")
    assert counts(page) == {"ready": 2, "needs_fixing": 1}
    assert counts(choose(desk, url, page, **{"7": "8"})) == {"ready": 3}


def test_tags_are_names_first(desk):
    save_entries("Acme", Kind.CONTACT_TAG, [{"code": "5", "name": "VIP"}])
    url = upload(desk, 'Name,Tags\nZoe,VIP\nYara,"VIP, 2026"\nXaver,#5\nWim,5 2026\n')
    assert counts(desk.get(url)) == {"ready": 2, "needs_answer": 2}
    page = answer(desk, url, ids="own")
    assert counts(page) == {"ready": 2, "needs_fixing": 2}
    assert {one.text for one in page.context["unmatched"]} == {"2026", "5"}
    assert counts(choose(desk, url, page, **{"2026": "5", "5": "5"})) == {"ready": 4}


@pytest.mark.usefixtures("lists", "umbra")
def test_an_item_beside_an_item_number_must_be_that_item(desk):
    head = "Number,Customer,{},Item,Qty,Price\n"
    rows = (f"A,Umbra Ltd,{ITEM['id']},{ITEM['name']},1,5\n"
            f"B,Umbra Ltd,{OTHER_ITEM['id']},{ITEM['name']},1,5\n")  # fmt: skip
    page = desk.get(upload(desk, head.format("Item ID") + rows, resource="invoices"))
    assert counts(page) == {"ready": 1, "needs_fixing": 1}
    url = upload(desk, head.format("SKU") + rows, resource="invoices")
    page = desk.get(url)
    assert (counts(page), asked(page)) == ({"ready": 1, "needs_answer": 1}, {"ids"})
    page = answer(desk, url, ids="own")
    assert counts(page) == {"ready": 2}
    items = [one.body["items"][0]["item_id"] for one in page.context["records"].values()]
    assert items == [ITEM["id"]] * 2


@pytest.mark.usefixtures("lists", "umbra")
def test_numbers_without_names_are_items_unless_the_list_lacks_one(desk):
    text = f"Number,Customer,SKU,Qty,Price\nA,Umbra Ltd,{ITEM['id']},1,5\n"
    page = desk.get(upload(desk, text, resource="invoices"))
    assert (counts(page), asked(page)) == ({"ready": 1}, set())
    assert page.context["rows"][0].cells["line:item_id"].name.startswith(ITEM["name"])
    url = upload(desk, f"{text}B,Umbra Ltd,98765,1,5\n", resource="invoices")
    page = desk.get(url)
    assert (counts(page), asked(page)) == ({"needs_answer": 2}, {"ids"})
    assert page.context["questions"][0].example.startswith("Your list has no item 98765.")
    assert counts(answer(desk, url, ids="id")) == {"ready": 1, "needs_fixing": 1}
    assert counts(answer(desk, url, ids="own")) == {"needs_fixing": 2}


@pytest.fixture
def bert(gateway):
    body = {"cstname": "Bert Bell", "contact_type": 1, "cstemail": "bert@bell.example"}
    return gateway.create(CONTACTS, body).id


@pytest.mark.parametrize("is_whole", [True, False])
@pytest.mark.parametrize("row", ["Zoe Zott,zoe@zott.example", "Zoe Zott,", ",zoe@zott.example"])
def test_numbers_of_another_system_are_asked_about_before_they_change_a_stranger(
    desk, bert, monkeypatch, row, is_whole
):
    if not is_whole:
        monkeypatch.setattr(duplicates, "MAX_PAGES", 0)
    url = upload(desk, f"ID,Name,Email\n{bert},{row}\n{bert},Bert Bell,bert@bell.example\n")
    desk.post(url, {**fields(desk.get(url)), "on_existing": "update"})
    page = desk.get(url)
    assert (counts(page)["needs_answer"], asked(page)) == (1, {"ids"})
    [question] = page.context["questions"]
    assert f"The ID {bert} is of Bert Bell, not of " in question.example
    page = answer(desk, url, ids="id")
    assert counts(page)["change"] == 1
    page = answer(desk, url, ids="own")
    assert not [one for one in page.context["records"].values()
                if one.same and one.rows[0].number == 2]  # fmt: skip
    assert "needs_answer" not in counts(page)


def test_numbers_without_a_record_are_asked_about_once(desk, bert):
    url = upload(desk, "ID,Name,Email\n987001,Zoe Zott,z@zott.example\n987002,Yan Yule,y@yule.eu\n")
    page = desk.get(url)
    assert (counts(page), asked(page)) == ({"needs_answer": 2}, {"ids"})
    assert counts(answer(desk, url, ids="id")) == {"needs_fixing": 2}
    assert counts(answer(desk, url, ids="own")) == {"ready": 2}


@pytest.mark.parametrize("row", ["Bert Bellamy,bert@bell.example", "bert bell,new@bell.example"])
def test_ids_of_records_with_the_same_name_or_email_are_ids(desk, bert, row):
    url = upload(desk, f"ID,Name,Email\n{bert},{row}\n#{bert},{row}\n")
    desk.post(url, {**fields(desk.get(url)), "on_existing": "update"})
    page = desk.get(url)
    assert (counts(page), asked(page)) == ({"change": 1, "duplicate_row": 1}, set())


@pytest.mark.parametrize("resource", ["contacts", "leads", "deals", "tasks"])
@pytest.mark.usefixtures("lists")
def test_the_ids_of_an_export_are_ids(desk, resource):
    url = upload(desk, exported(desk, f"/{resource}/export/", "all"), "a.xlsx", resource)
    page = desk.get(url)
    assert "id" in mapped(page)
    assert "ids" not in asked(page)
