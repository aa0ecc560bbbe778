"""Sums at the foot of a file are left out, said so, and can be kept."""

import pytest

from dashboard.imports.totals_rows import is_sum_word, sum_rows
from dashboard.jobs.models import Job
from tests.imports.test_import import counts, send, upload
from tests.page_forms import fields
from tests.tables.files import read_table

HEAD = "Name;Email;Revenue\nAnn;ann@x.example;1.200,50\nBea;bea@x.example;300\n"


def numbers(text, fields=("cstname",)):
    table = read_table(HEAD + text)
    return [*sum_rows(table, {str(index): name for index, name in enumerate(fields)})]


@pytest.mark.parametrize(
    "word",
    ["Total", "TOTAL:", "Grand total", "Summe", "Gesamtsumme", "Somme", "Totale", "Totaal", "Suma",
     "Razem", "Soma", "Subtotal", "Totaux", "Total 2026"],
)  # fmt: skip
def test_the_words_of_sums_are_known(word):
    assert is_sum_word(word)


@pytest.mark.parametrize("word", ["Summer Ltd", "Totally Fit GmbH", "Summit", "Somerset", "Ann"])
def test_names_that_begin_like_a_sum_are_none(word):
    assert not is_sum_word(word)


@pytest.mark.parametrize(
    ("foot", "found"),
    [
        ("Summe;;1.500,50\n", [4]),
        ("\n;;1.500,50\n", [5]),
        (";Total;1.500,50 €\n;;2\n", [5, 4]),
        ("Total;;\n", [4]),
        ("Total;;\nCleo;;\n", []),
        ("Cleo;;\nTotal;;\n", []),  # perhaps one more firm without anything but a name
        ("Summe;;\n;;3\n", [5]),  # the word is not in the last row
        ("Total;info@total.example;5\n", []),
        ("Summe;;1\nCleo;cleo@x.example;4\n", []),  # not at the foot
        (";;0171 234567\n", []),  # a phone number
    ],
)
def test_the_rows_at_the_foot_that_are_sums(foot, found):
    assert numbers(foot) == found


def test_totals_among_the_lines_of_a_document_are_left_to_those():
    table = read_table("Number;Item;Price\n1;Hour;5\n;Total;5\n")
    assert not sum_rows(table, {"1": "line:item_name"})
    assert sum_rows(table, {"1": "customer_id"})


def test_a_sum_is_left_out_said_so_and_can_be_kept(desk, sent):
    url = upload(desk, HEAD + "Summe;;1.500,50\n")
    page = desk.get(url)
    assert counts(page) == {"ready": 2, "excluded": 1}
    left = desk.get(f"{url}?show=excluded")
    assert "Skipped: “Summe” looks like a total." in left.content.decode()
    desk.post(url, {**fields(left), "exclude-4": "1"})
    assert counts(desk.get(url)) == {"ready": 2, "excluded": 1}
    desk.post(url, fields(left, **{"exclude-4": None}))
    assert counts(desk.get(url)) == {"ready": 3}
    kept = desk.get(f"{url}?show=ready")
    desk.post(url, {**fields(kept), "exclude-4": "1"})
    assert counts(desk.get(url)) == {"ready": 2, "excluded": 1}
    send(desk, url)
    assert [one["cstname"] for one in sent("create", resource="contacts")] == ["Ann", "Bea"]


def test_the_rows_of_the_job_have_the_numbers_of_the_file(desk):
    head = "Our people;;\n;;\nName;Email;Phone\n\n"
    url = upload(desk, head + "Ann;ann@x.example;\nBea;bea@x.example;\n")
    assert [row.number for row in desk.get(url).context["rows"]] == [5, 6]
    send(desk, url)
    page = desk.get(f"/jobs/{Job.objects.get().pk}/")
    assert [row["number"] for row in page.context["rows"]] == [5, 6]


def test_a_sum_at_the_foot_is_no_name_to_match(desk):
    text = "Customer,Invoice no.,Item,Quantity,Price\nAcme West,1,Hour,2,10\nTOTAL,,,,20\n"
    page = desk.get(upload(desk, text, resource="invoices"))
    assert "Acme West" in {one.text for one in page.context["unmatched"]}
    assert "TOTAL" not in {one.text for one in page.context["unmatched"]}
