"""Cells as offices and programs write them: amounts, days, times and several values in one."""

import pytest

from dashboard.gateway import CONTACTS
from dashboard.imports.targets import NAME
from dashboard.office.editing import save_entries
from dashboard.office.kinds import Kind
from tests.imports.test_deals_tasks import PIPELINE, errors
from tests.imports.test_documents import made
from tests.imports.test_import import counts, send, upload
from tests.imports.test_names import choose
from tests.page_forms import fields

EUR, GBP, USD, CAD = 1, 2, 3, 4


@pytest.fixture
def retail(db, umbra):
    save_entries("Acme", Kind.PIPELINE, [{"code": str(PIPELINE), "name": "Retail"}])


@pytest.fixture
def currencies(db):
    rows = {EUR: "EUR", GBP: "GBP", USD: "USD", CAD: "CAD"}
    save_entries("Acme", Kind.CURRENCY, [{"code": str(c), "name": n} for c, n in rows.items()])


def deals(*cells, title="Amount"):
    rows = "".join(f"D{place}\tUmbra Ltd\tRetail\t{cell}\n" for place, cell in enumerate(cells))
    return f"Deal\tCompany\tPipeline\t{title}\n{rows}"


@pytest.mark.usefixtures("retail", "currencies")
def test_amounts_are_read_with_their_currencies(desk, sent):
    text = deals("GBP 1,200.00", "1,200.50 GBP", "US$1,200.00", "1,23,456.00", "1 200.00 €", "75")
    url = upload(desk, text, resource="deals")
    assert counts(desk.get(url)) == {"ready": 6}
    send(desk, url)
    bodies = {body["deal_name"]: body for body in sent("create", resource="deals")}
    assert [
        (bodies[f"D{place}"]["deal_amount"], bodies[f"D{place}"].get("deal_amount_currency"))
        for place in range(6)
    ] == [(1200, GBP), (1200.5, GBP), (1200, USD), (123456, None), (1200, EUR), (75, None)]


@pytest.mark.usefixtures("retail", "currencies")
def test_a_written_currency_that_may_be_several_or_none_of_the_list_is_asked_once(desk):
    url = upload(desk, deals("$5", "$6", "CHF 7"), resource="deals")
    page = desk.get(url)
    assert counts(page) == {"needs_fixing": 3}
    assert {one.text: one.rows for one in page.context["unmatched"]} == {"$": 2, "CHF": 1}
    page = choose(desk, url, page, **{"$": str(CAD), "CHF": str(EUR)})
    assert counts(page) == {"ready": 3}
    bodies = [record.body for record in page.context["records"].values()]
    assert [body["deal_amount_currency"] for body in bodies] == [CAD, CAD, EUR]


@pytest.mark.usefixtures("retail", "currencies")
def test_an_amount_in_another_currency_than_its_record_needs_fixing(desk):
    text = "Deal,Company,Pipeline,Amount,Currency\n"
    text += "A,Umbra Ltd,Retail,$5,CAD\nB,Umbra Ltd,Retail,US$6,EUR\nC,Umbra Ltd,Retail,€7,EUR\n"
    url = upload(desk, text, resource="deals")
    assert counts(desk.get(url)) == {"needs_fixing": 1, "ready": 2}
    assert "another currency" in errors(desk, url)[3]["deal_amount"]


@pytest.mark.usefixtures("retail")
def test_without_a_list_of_currencies_a_sign_is_read_and_a_code_needs_fixing(desk):
    url = upload(desk, deals("€ 5.00", "GBP 6.00"), resource="deals")
    assert counts(desk.get(url)) == {"needs_fixing": 1, "ready": 1}


@pytest.mark.usefixtures("umbra", "lists")
def test_the_prices_of_a_document_tell_its_currency_and_have_to_agree(desk, sent):
    head = "Number,Customer,Item,Qty,Price\n"
    text = head + "P1,Umbra Ltd,Consulting hour,2,USD 95.00\nP1,,On-site visit,1,$180.00\n"
    text += "P2,Umbra Ltd,Consulting hour,2,USD 95.00\nP2,,On-site visit,1,€ 180.00\n"
    url = upload(desk, text, resource="invoices")
    assert counts(desk.get(url)) == {"needs_fixing": 1, "ready": 1}
    send(desk, url)
    [invoice] = made(sent)
    assert len(invoice["items"]) == 2
    assert invoice["org_currency_id"]


@pytest.mark.usefixtures("retail")
def test_days_are_read_as_excel_and_other_languages_write_them(desk, sent):
    days = ["28-Nov-26", "5 Dec 26", "28. März 2027", "20261228", "Monday, January 4, 2027"]
    url = upload(desk, deals(*days, title="Close date"), resource="deals")
    send(desk, url)
    bodies = sent("create", resource="deals")
    found = {body["deal_name"]: body["deal_expected_close_date"] for body in bodies}
    assert [found[f"D{place}"] for place in range(5)] == [
        "2026-11-28", "2026-12-05", "2027-03-28", "2026-12-28", "2027-01-04",
    ]  # fmt: skip


OUTLOOK = "Subject,Start Date,Start Time,End Date,End Time,Company\n"


@pytest.mark.usefixtures("retail")
@pytest.mark.parametrize(
    ("cells", "start", "end"),
    [
        ("12/15/2026,2:30:00 PM,12/15/2026,3:30:00 PM", "2026-12-15T14:30:00", "2026-12-15T15:30"),
        ("15.12.2026,14.30,16.12.2026,", "2026-12-15T14:30", "2026-12-16T00:00"),
        ("15.12.2026,14.30,,15.30", "2026-12-15T14:30", "2026-12-15T15:30"),
        ("15 Dec 2026 08:00,,15 Dec 2026 09:00,09:00", "2026-12-15T08:00", "2026-12-15T09:00"),
    ],
)
def test_a_day_and_a_time_in_two_columns_are_one_moment(desk, sent, cells, start, end):
    other = "Call,12/28/2026,8:00,12/28/2026,9:00,Umbra Ltd\n" if "PM" in cells else ""
    url = upload(desk, f"{OUTLOOK}Visit,{cells},Umbra Ltd\n{other}", resource="tasks")
    send(desk, url)
    visit = next(body for body in sent("create", resource="tasks") if body["title"] == "Visit")
    assert visit["start_datetime"].startswith(start[:16])
    assert visit["end_datetime"].startswith(end[:16])


@pytest.mark.usefixtures("retail")
def test_a_time_without_a_day_and_two_different_times_need_fixing(desk):
    text = OUTLOOK + "A,,14:30,,15:30,Umbra Ltd\nB,2026-12-15 09:00,14:30,,,Umbra Ltd\n"
    url = upload(desk, text, resource="tasks")
    assert {number: {*found} for number, found in errors(desk, url).items()} == {
        2: {"start_datetime", "end_datetime"},
        3: {"start_datetime"},
    }


def test_the_first_value_that_can_be_used_counts_and_the_others_go_to_the_notes(desk, sent):
    text = "Name\tE-mail 1 - Value\tBusiness Phone\tMobile Phone\tNotes\n"
    text += "Mara\tmara@fen.example ::: m.holt@fen.example\textension\t+44 7911 200001\tVIP\n"
    text += "Ola\tola@fen.example; o@x.example\t+44 7911 200002 / +44 20 7946 0018\t\t\n"
    text += "Udo\tudo@fen.example\t030 / 5550121\t\t\n"
    send(desk, upload(desk, text))
    people = {body["cstname"]: body for body in sent("create", resource="contacts")}
    mara, ola, udo = (people[name] for name in ("Mara", "Ola", "Udo"))
    assert (mara["cstemail"], ola["cstemail"]) == ("mara@fen.example", "ola@fen.example")
    assert [one["cstmobile"] for one in (mara, ola, udo)] == [
        "+44 7911 200001", "+44 7911 200002", "030 / 5550121"
    ]  # fmt: skip
    assert mara["cstnotes"] == "VIP\nEmail: m.holt@fen.example\nPhone: extension"
    assert ola["cstnotes"] == "Email: o@x.example\nPhone: +44 20 7946 0018"
    assert not udo.get("cstnotes")


def test_other_values_do_not_replace_the_notes_of_a_contact_that_exists(desk, gateway, sent):
    ola = {"cstname": "Ola", "cstemail": "ola@fen.example", "contact_type": 1, "cstnotes": "VIP"}
    gateway.create(CONTACTS, ola)
    text = "Name,Email,Phone\nOla,ola@fen.example,+44 7911 200002 / +44 20 7946 0018\n"
    url = upload(desk, text)
    desk.post(url, {**fields(desk.get(url)), "on_existing": "update"})
    send(desk, url)
    [change] = sent("update", resource="contacts")
    assert "cstnotes" not in change
    assert change["cstmobile"]


FIRM = ("Ora Finch", "Grange Foods Ltd")
PEOPLE = {
    "Name;First Name;Last Name;Email\nGrange Foods Ltd;Ora;Finch;o@x.example": FIRM,
    "Name;Contact person;Email\nGrange Foods Ltd;Ora Finch;o@x.example": FIRM,
    "First Name;Last Name;File As\nMara;Holt;Holt, Mara": ("Mara Holt", ""),
    "Nachname;Vorname;Name\nHolt;Mara;Mara Holt": ("Mara Holt", ""),
    "Nom;Prénom\nHolt;Mara": ("Holt Mara", ""),
    "Name;First Name;Last Name\nMara Holt;Mara;Holt": ("Mara Holt", ""),
}


@pytest.mark.parametrize(("text", "names"), PEOPLE.items())
def test_a_firm_and_its_person_never_share_a_name(desk, text, names):
    person, business = names
    page = desk.get(upload(desk, text))
    asked = [(one.target.name, one.text) for one in page.context["unmatched"]]
    assert asked == ([("contact_parent", business)] if business else [])
    [checked] = page.context["rows"]
    assert checked.text("cstname") == person


def test_rows_of_persons_firms_and_both_are_told_apart(desk, sent):
    text = "Display Name;Company;First Name;Last Name\nGrange Foods;Grange Foods;Ora;Finch\n"
    text += "Zorn, Quilla;;Quilla;Zorn\nFen;Fen;;\nKimbo Leeux;;;\n"
    url = upload(desk, text)
    page = desk.get(url)
    assert counts(page) == {"needs_fixing": 1, "ready": 3}
    shown = page.context["columns"]
    assert [(column.joined, column.instead) for column in shown if column.target.name == NAME] == [
        ((), "Used where First Name is blank"),
        (("First Name", "Last Name"), ""),
        (("First Name", "Last Name"), ""),
    ]
    send(desk, url, **{"means-all": "contact_parent new:2"})
    send(desk, url)
    people = {body["cstname"]: body for body in sent("create", resource="contacts")}
    assert {*people} == {"Grange Foods", "Ora Finch", "Quilla Zorn", "Fen", "Kimbo Leeux"}
    assert people["Fen"]["contact_type"] == 2
    assert people["Ora Finch"]["contact_parent"]


def test_what_stands_for_no_value_is_blank_after_one_question_for_its_column(desk, sent):
    text = "Name;Phone;Company\nMara Quill;n/a;-\nOla Quill;k. A.;\nUdo Quill;0305550121;none\n"
    url = upload(desk, text)
    page = desk.get(url)
    titles = [question.title for question in page.context["questions"]]
    assert titles == ["Phone: blank or text?", "Company: blank or text?"]
    assert counts(page) == {"needs_answer": 3}
    for index in (1, 2):
        desk.post(url, {**fields(desk.get(url)), f"answer-{index}-blank": "blank"})
    send(desk, url)
    people = {body["cstname"]: body for body in sent("create", resource="contacts")}
    assert [people[f"{name} Quill"].get("cstmobile") for name in ("Mara", "Ola", "Udo")] == [
        None, None, "0305550121"
    ]  # fmt: skip
    assert not any(body.get("contact_parent") for body in people.values())


def test_the_present_export_of_google_contacts_needs_no_repair(desk, sent):
    text = "First Name,Middle Name,Last Name,File As,Organization Name,Labels,E-mail 1 - Label,"
    text += "E-mail 1 - Value,Phone 1 - Label,Phone 1 - Value\n"
    text += 'Mara,J.,Holt,"Holt, Mara",,* myContacts,* Work,mara@f.example ::: m@f.example,,\n'
    text += "Ola,,Berg,,,* myContacts ::: * starred,*,ola@f.example,Mobile,+44 7911 200002\n"
    url = upload(desk, text)
    assert counts(desk.get(url)) == {"ready": 2}
    send(desk, url)
    mara, ola = sorted(sent("create", resource="contacts"), key=lambda body: body["cstname"])
    assert (mara["cstname"], ola["cstname"]) == ("Mara J. Holt", "Ola Berg")
    assert (mara["cstnotes"], mara.get("cst_tag_id")) == ("Email: m@f.example", None)


@pytest.mark.usefixtures("lists", "umbra")
def test_an_unknown_word_in_a_column_of_choices_is_asked_once_and_may_mean_nothing(desk, sent):
    head = "Invoice Number,Customer Name,Item Name,Quantity,Item Price,Discount Type\n"
    rows = "".join(f"Z{n},Umbra Ltd,Consulting hour,1,95,entity level\n" for n in range(3))
    url = upload(desk, head + rows, resource="invoices")
    page = desk.get(url)
    assert counts(page) == {"needs_fixing": 3}
    [asked] = page.context["unmatched"]
    assert (asked.text, asked.rows) == ("entity level", 3)
    assert counts(choose(desk, url, page, entity_level="nothing")) == {"ready": 3}
