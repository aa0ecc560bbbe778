"""A column with two readings is asked about once, and its rows wait for the answer."""

import pytest

from tests.imports.test_documents import made
from tests.imports.test_import import counts, send, upload
from tests.page_forms import fields

HEAD = "Number,Customer,Date,Item,Qty,Price,Discount\n"


def questions(page):
    return {question.name: question for question in page.context["questions"]}


def answer(desk, url, **codes):
    """Press a button of a question; names are given with _ for -."""
    pressed = {name.replace("_", "-"): code for name, code in codes.items()}
    desk.post(url, {**fields(desk.get(url)), **pressed})
    return desk.get(url)


@pytest.fixture
def invoices(desk, lists, umbra):
    def upload_rows(*rows, head=HEAD):
        lines = (f"Q{n},Umbra Ltd,{row}\n" for n, row in enumerate(rows))
        return upload(desk, head + "".join(lines), resource="invoices")

    return upload_rows


def test_a_discount_without_a_unit_is_asked_about_once_for_its_column(desk, invoices, sent):
    url = invoices("2026-11-28,Consulting hour,2,95,10", "2026-11-28,Consulting hour,1,95,",
                   "2026-11-28,Consulting hour,1,95,5 %")  # fmt: skip
    page = desk.get(url)
    assert counts(page) == {"needs_answer": 1, "ready": 2}
    [question] = page.context["questions"]
    assert question.title == "Discount: per cent or amount?"
    assert question.example == "“10” is 10 % (per cent) or 10 (amount)."
    assert counts(answer(desk, url, answer_6_discount="2")) == {"ready": 3}
    send(desk, url)
    discounts = [body["items"][0] for body in made(sent)[-3:]]
    assert [(line.get("discount"), line.get("discount_type")) for line in discounts] == [
        (10, 2), (None, None), (5, 2)
    ]  # fmt: skip


def test_an_answer_can_be_changed_and_other_buttons_give_none(desk, invoices, sent):
    url = invoices("2026-11-28,Consulting hour,2,95,10")
    desk.post(url, {**fields(desk.get(url)), "do": "check"})
    assert counts(desk.get(url)) == {"needs_answer": 1}
    answer(desk, url, answer_6_discount="2")
    page = answer(desk, url, answer_6_discount="1")
    assert questions(page)["answer-6-discount"].answer == "1"
    send(desk, url)
    assert made(sent)[-1]["items"][0]["discount_type"] == 1


def test_the_next_file_with_the_same_headings_asks_nothing(desk, invoices):
    answer(desk, invoices("03/04/2026,Consulting hour,2,1.500,10"), answer_6_discount="2",
           answer_5_mark=".", answer_2_order="mdy")  # fmt: skip
    url = invoices("03/05/2026,Consulting hour,1,1.250,20")
    assert counts(desk.get(url)) == {"ready": 1}
    page = answer(desk, url)
    assert counts(page) == {"ready": 1}, "also after a press of another button"
    record, *_ = page.context["records"].values()
    assert f"{record.body['transaction_date']:%m-%d}" == "03-05"
    assert record.body["items"][0]["price"] == 1.25
    page = desk.get(invoices('31/05/2026,Consulting hour,1,"1,5",20'))
    assert counts(page) == {"ready": 1}, "what the cells decide is not overruled"


@pytest.mark.parametrize(
    ("head", "cells", "kinds"),
    [
        ("Discount", ["10 %", "5 off", "", "0"], set()),
        ("Discount %", ["10", "5"], set()),
        ("Discount", ["10", "120"], set()),
        ("Discount", ["10", "5"], {"discount"}),
        ("Rabatt", ["10", "1.5"], {"discount"}),
    ],
)
def test_heading_and_cells_decide_where_they_can(desk, invoices, head, cells, kinds):
    rows = [f"2026-11-28,Consulting hour,2,95,{cell}" for cell in cells]
    page = desk.get(invoices(*rows, head=HEAD.replace("Discount", head)))
    assert {name.rpartition("-")[2] for name in questions(page)} == kinds


def test_an_overall_discount_is_asked_about_too(desk, invoices, sent):
    head = HEAD.replace("Discount", "Overall discount")
    url = invoices("2026-11-28,Consulting hour,2,95,50", head=head)
    assert counts(desk.get(url)) == {"needs_answer": 1}
    answer(desk, url, answer_6_discount="1")
    send(desk, url)
    body = made(sent)[-1]
    assert (body["overall_discount"], body["overall_discount_type"]) == (50, 1)
