"""Hostile strings through the text fields, and to every place that shows what they hold.

Each page is parsed: no element and no attribute comes from a string. No cell of a file holds a
formula.
"""

import csv
import io
import re
import zipfile
from itertools import cycle, islice
from xml.etree import ElementTree

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from dashboard.core.templates import import_map
from dashboard.gateway import CONTACTS, DEALS, ESTIMATES, INVOICES, LEADS, TASKS, GatewayError
from dashboard.schema.registry import RESOURCES
from dashboard.tables.cells import strip_control_characters
from dashboard.tables.reading import TableChoices
from dashboard.tables.writing import write_csv, write_xlsx
from tests.hostile import STRINGS
from tests.jobs.conftest import work
from tests.markup import tree
from tests.page_forms import fields
from tests.tables.files import ods, read_table, xlsx

pytestmark = pytest.mark.slow

LINES = 10  # of a document
HIDDEN = ("token", "draft", "snapshot")
FOREIGN = {
    "base", "embed", "iframe", "img", "math", "mi", "object", "plaintext", "source", "style",
    "video", "x", "zz-hit",
}  # fmt: skip
ADDRESSES = ("href", "src", "action", "formaction", "hx-get", "hx-post", "data-url")
FORMULA = re.compile(r"[\s\u00a0']*[=+\-@＝＋－＠]")  # noqa: RUF001  wide forms, too
TEXTS = {
    CONTACTS: ("cstname", "cstaddress", "ct_taxnumber", "cstnotes"),
    LEADS: ("cstname", "lead_company_name", "lead_source", "cstaddress", "cstnotes"),
    DEALS: ("deal_name", "deal_source", "deal_description"),
    TASKS: ("title", "description"),
}


def intrusions(html):
    """What of a page no template of ours has written."""
    found = []
    for one in tree(html).iter():
        if one.tag.lower() in FOREIGN or one.tag.lower().startswith("zz"):
            found.append(f"<{one.tag}>")
        if one.tag == "script" and not one.get("src") and one.text != import_map():
            found.append("an inline script")
        for name, value in one.attrib.items():
            plain = re.sub(r"[\x00-\x20]", "", value).lower()
            led = plain.startswith(("javascript:", "data:", "vbscript:", "//", "\\"))
            leads = name == "http-equiv" and not one.get("content", "").isdigit()  # a page waits
            if name.startswith(("on", "zz", "hx-on", "data-hx")) or leads:
                found.append(f"<{one.tag} {name}>")
            elif led and name in ADDRESSES:
                found.append(f"<{one.tag} {name}={value[:40]!r}>")
    return found


def check(answer):
    """Fail if an HTML answer holds what a string has brought, or is an error page of ours."""
    assert answer.status_code != 500, answer.request["PATH_INFO"]
    if answer.headers.get("Content-Type", "").startswith("text/html"):
        found = intrusions(answer.content.decode())
        assert not found, (answer.request["PATH_INFO"], found[:5])


def test_the_check_finds_what_a_page_would_carry_out():
    """A page that does not escape is found for each string with markup."""
    markup = [one for one in STRINGS if "zz-hit>" in one and one[:1] in "<\"'"]
    bare = [one for one in markup if not intrusions(f"<!doctype html><p>{one}</p>")]
    assert len(markup) > 20
    assert len(bare) < len(markup) / 4


def test_no_string_of_a_form_is_carried_out(seeing_errors):
    strings, sent, forms = cycle(STRINGS), set(), []
    for each in RESOURCES.values():
        url = f"/{each.name}/new/"
        data = fields(seeing_errors.get(url))
        names = [name for name, value in data.items() if isinstance(value, str | None)]
        forms.append((url, data, [name for name in names if name not in HIDDEN]))
    while sent != set(STRINGS):
        for url, data, names in forms:
            typed = dict(zip(names, islice(strings, len(names)), strict=True))
            sent |= set(typed.values())
            check(seeing_errors.post(url, {**data, **typed}))


@pytest.fixture
def records(gateway):
    """Hostile records: ids by endpoint name. What the service or our rules refuse is left out."""
    strings, made = cycle(STRINGS), {}
    for endpoint, names in TEXTS.items():
        for _ in range(len(STRINGS) // len(TEXTS) // len(names)):
            body = dict(zip(names, islice(strings, len(names)), strict=True))
            body |= {"contact_type": 1} if endpoint is CONTACTS else {}
            if endpoint is TASKS:
                body |= {"start_datetime": "2026-11-22 09:00:00", "priority": 1}
            try:
                number = gateway.create(endpoint, body).id
            except GatewayError:
                continue
            made.setdefault(endpoint.name, []).append(number)
    return made | documents(gateway, made[CONTACTS.name][0])


def documents(gateway, customer):
    """Documents of a hostile customer with hostile texts, also in their lines."""
    strings, made = cycle(STRINGS), {}
    for endpoint, about in ((INVOICES, {"due_date": "2026-12-01"}), (ESTIMATES, {})):
        for _ in range(len(STRINGS) // LINES // 3):
            names = islice(strings, LINES)
            lines = [
                {"item_id": 501, "item_name": name, "description": next(strings), "quantity": 1,
                 "price": 5, "type": "item"} for name in names
            ]  # fmt: skip
            body = {"customer_id": customer, "template_id": 11, "items": lines, **about}
            texts = dict(zip(("reference", "notes", "terms_conditions"), strings, strict=False))
            number = created(gateway, endpoint, {**body, **texts}, lines)
            made.setdefault(endpoint.name, []).extend(number)
    return made


def created(gateway, endpoint, body, lines):
    """The id of a new document, with plain names in those lines that the service refuses."""
    for _ in range(2):
        try:
            return [gateway.create(endpoint, body).id]
        except GatewayError:
            body = {**body, "reference": "plain"}
            for line in lines:
                line["item_name"] = line["item_name"].strip("\0 \t\r\n") or "plain"
    return []


def test_no_string_of_a_record_is_carried_out(seeing_errors, records):
    assert min(map(len, records.values())) > 15
    for name, numbers in records.items():
        check(seeing_errors.get(f"/{name}/?size=100"))
        for number in numbers:
            check(seeing_errors.get(f"/{name}/{number}/"))
        for number in numbers[::6]:
            for page in ("edit/", "history/"):
                check(seeing_errors.get(f"/{name}/{number}/{page}"))
    for page in ("/", "/tasks/agenda/", "/deals/board/", "/history/", "/unfinished/", "/search/"):
        check(seeing_errors.get(page))


def test_no_string_of_an_address_is_carried_out(seeing_errors):
    for one in STRINGS[::12]:
        check(seeing_errors.get("/contacts/", {"search": one}))
        check(seeing_errors.post("/search/", {"q": one, "hits": "1"}))
        check(seeing_errors.get("/history/", {"who": one, "from": one, "older": one}))


def test_no_cell_of_an_export_is_a_formula(desk, records):
    for name in records:
        content = "lines" if name in ("invoices", "estimates") else "all"
        for form in ("csv", "plain", "xlsx"):
            answer = desk.post(f"/{name}/export/", {"content": content, "form": form})
            file = answer.getvalue()
            if form == "xlsx":
                check_workbook(file)
            else:
                rows = cells_of(file)
                assert len(rows) > 10
                check_cells(rows)


def test_every_string_reads_back_from_a_file_as_it_was():
    """As text that a file can hold; and no file calculates it."""
    rows = [[one, "x"] for one in STRINGS]
    wanted = [strip_control_characters(one).strip() for one in STRINGS]
    file = io.BytesIO()
    write_xlsx(file, [["A", "B"], *rows])
    book = file.getvalue()
    check_workbook(book)
    text = b"".join(write_csv([["A", "B"], *rows]))
    check_cells(cells_of(text))
    for data in (book, text):
        read = read_table(data, TableChoices(header=1, separator=",")).rows
        assert [str(row.cells[0]).strip() for row in read] == wanted


def test_no_string_of_an_imported_file_is_carried_out(seeing_errors):
    """As its names, as its headings, and as the name of the file."""
    rows = [[one, next(following), "firm"] for following in [cycle(STRINGS)] for one in STRINGS]
    headings = ["Company", "Notes", "Kind"]
    storables = [[strip_control_characters(cell) for cell in row] for row in rows]
    files = {
        "<zz-hit>.csv": b"".join(write_csv([headings, *rows])),
        "'><zz-hit>.xlsx": xlsx({"<zz-hit>": [headings, *storables[:200]]}),
        "a.ods": ods([headings, *storables[:200]]),
        "headings.csv": b"".join(write_csv([STRINGS[:150], STRINGS[150:300], STRINGS[300:450]])),
    }
    for name, data in files.items():
        begun = seeing_errors.post("/contacts/import/", {"file": SimpleUploadedFile(name, data)})
        assert begun.status_code == 302, name
        work()
        for view in ("", "?show=needs_fixing", "?show=duplicate_row", "?show=ready"):
            check(seeing_errors.get(f"{begun['Location']}{view}"))


def cells_of(content):
    return list(csv.reader(io.StringIO(content.decode("utf-8-sig"), newline="")))


def check_cells(rows):
    for cell in (cell for row in rows for cell in row):
        number = re.fullmatch(r"-?[\d.]+", cell)
        assert number or cell.startswith("'") or not FORMULA.match(cell), cell
        assert not cell.startswith(("=", "+", "@", "\t", "\r", "\n")), cell


def check_workbook(file):
    """Every part of the file is XML; no cell is a formula, and nothing leads out of the file."""
    with zipfile.ZipFile(io.BytesIO(file)) as book:
        for name in book.namelist():
            root = ElementTree.fromstring(book.read(name))
            names = {element.tag.rpartition("}")[2] for element in root.iter()}
            assert not names & {"f", "hyperlink", "externalReference", "ddeLink"}, name
            assert not [one for one in root.iter() if one.get("TargetMode") == "External"], name
