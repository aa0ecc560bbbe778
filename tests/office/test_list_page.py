"""Editing a list: add, rename, order, retire, restore, name unnamed references."""

import pytest

from dashboard.office.editing import entries_of, save_entries, unnamed_of
from dashboard.office.kinds import Kind
from dashboard.office.observed_references import SeenReference, record_references
from dashboard.office.reference_lists import entry, names

pytestmark = pytest.mark.django_db
BRANDS = "/settings/lists/brands/"


@pytest.fixture
def brands():
    rows = [{"code": str(n), "name": name} for n, name in enumerate(("Nord", "Sud", "Ost"), 1)]
    save_entries("Acme", Kind.BRAND, rows)


def of(kind, code):
    return entries_of("Acme", kind).get(code=code)


def order():
    return list(names("Acme", Kind.BRAND).values())


def seen(*codes, kind=Kind.BRAND, name=""):
    record_references(
        "Acme", [SeenReference(kind, code, "/leads/5/", "Lead 5", name) for code in codes]
    )
    return [one.pk for one in unnamed_of("Acme")]


def test_an_entry_is_added_at_the_end(keeper, brands):
    page = keeper.post(f"{BRANDS}add/", {"code": " 17 ", "name": "  Côté   Sud "}, follow=True)
    assert "Côté Sud was added." in page.content.decode()
    assert names("Acme", Kind.BRAND)[17] == "Côté Sud"
    assert order()[-1] == "Côté Sud"


@pytest.mark.parametrize(
    ("code", "name", "words"),
    [
        ("2", "Twice", "Already in the list: Sud."),
        ("x", "No number", "Enter the number that the CRM uses"),
        ("9", "", "Enter the name."),
    ],
)
def test_an_invalid_entry_gets_an_error_and_stays_in_the_form(keeper, brands, code, name, words):
    response = keeper.post(f"{BRANDS}add/", {"code": code, "name": name})
    page = response.content.decode()
    assert response.status_code == 422
    assert words in page
    assert f'value="{code}"' in page
    assert len(order()) == 3


def test_an_entry_is_renamed(keeper, brands):
    url = f"{BRANDS}{of(Kind.BRAND, '2').pk}/"
    assert 'value="Sud"' in keeper.get(url).content.decode()
    assert keeper.post(url, {"code": "2", "name": ""}).status_code == 422
    keeper.post(url, {"code": "2", "name": "Süd"})
    assert order() == ["Nord", "Süd", "Ost"]


def test_entries_move_up_and_down_and_the_button_stays_in_focus(keeper, brands):
    pk = of(Kind.BRAND, "3").pk
    answer = keeper.post(f"{BRANDS}arrange/", {"up": pk})
    assert order() == ["Nord", "Ost", "Sud"]
    assert answer["Location"] == f"{BRANDS}#up-{pk}"
    assert f'id="up-{pk}"' in keeper.get(BRANDS).content.decode()
    keeper.post(f"{BRANDS}arrange/", {"down": pk})
    keeper.post(f"{BRANDS}arrange/", {"down": pk})  # the last entry cannot move down
    assert order() == ["Nord", "Sud", "Ost"]


def test_an_entry_is_retired_and_restored_at_the_end(keeper, brands):
    pk = of(Kind.BRAND, "1").pk
    page = keeper.post(f"{BRANDS}arrange/", {"retire": pk}, follow=True).content.decode()
    assert "Nord was retired." in page
    assert order() == ["Sud", "Ost"]
    page = keeper.post(f"{BRANDS}arrange/", {"restore": pk}, follow=True).content.decode()
    assert "Nord was restored." in page
    assert order() == ["Sud", "Ost", "Nord"]


def test_an_unnamed_reference_is_named(keeper):
    first, second = seen(17, 18)
    assert "Name 2 unnamed codes" in keeper.get(BRANDS).content.decode()
    page = keeper.get("/settings/lists/not-named-yet/").content.decode()
    assert '<a href="/leads/5/">Lead 5</a>' in page
    answer = keeper.post(
        "/settings/lists/not-named-yet/", {f"name-{first}": "Nord", f"name-{second}": ""}
    )
    assert answer["Location"] == "/settings/lists/not-named-yet/"
    assert names("Acme", Kind.BRAND) == {17: "Nord"}
    assert [one.code for one in unnamed_of("Acme")] == ["18"]


def test_a_stage_is_named_together_with_its_pipeline(keeper):
    save_entries(
        "Acme", Kind.PIPELINE, [{"code": "1", "name": "New"}, {"code": "2", "name": "Renewals"}]
    )
    (pk,) = seen(5, kind=Kind.STAGE)
    page = keeper.get("/settings/lists/not-named-yet/").content.decode()
    assert "Pipeline of stage 5" in page
    long = {f"name-{pk}": "x" * 201, f"pipeline-{pk}": "2"}
    again = keeper.post("/settings/lists/not-named-yet/", long).content.decode()
    assert '<option value="2" selected>Renewals</option>' in again
    keeper.post("/settings/lists/not-named-yet/", {**long, f"name-{pk}": "Offer"})
    assert (of(Kind.STAGE, "5").name, of(Kind.STAGE, "5").parent) == ("Offer", "2")


def test_a_name_from_the_service_is_in_the_list_and_marked(keeper):
    seen(4, kind=Kind.CONTACT_TAG, name="VIP")
    page = keeper.get("/settings/lists/contact-tags/").content.decode()
    assert "from the CRM" in page
    entry = of(Kind.CONTACT_TAG, "4")
    keeper.post(f"/settings/lists/contact-tags/{entry.pk}/", {"code": "4", "name": "Patron"})
    assert "from the CRM" not in keeper.get("/settings/lists/contact-tags/").content.decode()
    seen(4, kind=Kind.CONTACT_TAG, name="VIP")
    assert names("Acme", Kind.CONTACT_TAG) == {4: "Patron"}


def test_a_long_name_gets_an_error_and_other_names_are_saved(keeper):
    first, second = seen(17, 18)
    response = keeper.post(
        "/settings/lists/not-named-yet/", {f"name-{first}": "x" * 300, f"name-{second}": "Sud"}
    )
    page = response.content.decode()
    assert response.status_code == 422
    assert "at most 200 characters" in page
    assert "x" * 300 in page
    assert names("Acme", Kind.BRAND) == {18: "Sud"}


def test_details_are_stored_as_typed(keeper):
    save_entries("Acme", Kind.TAX, [{"code": "61", "name": "VAT"}])
    keeper.post(
        "/settings/lists/items/add/", {"code": "5", "name": "Hour", "price": "95,5", "tax": "61"}
    )
    page = keeper.get("/settings/lists/items/").content.decode()
    assert "95.50" in page
    assert "VAT" in page
    assert entry("Acme", Kind.ITEM, 5).tax == "61"
    answer = keeper.post("/settings/lists/items/add/", {"code": "6", "name": "X", "price": "1,234"})
    assert "Did you mean thousands?" in answer.content.decode()


def test_a_choice_field_needs_options(keeper):
    url = "/settings/lists/contact-fields/add/"
    answer = keeper.post(url, {"name": "Size", "value_type": "choice", "choices": " \n "})
    assert "Add at least one option" in answer.content.decode()
    keeper.post(url, {"name": "Size", "value_type": "choice", "choices": "S\r\nM\r\nM\r\n"})
    assert entry("Acme", Kind.CONTACT_FIELD, "Size").choices == ["S", "M"]


def test_a_long_list_has_pages_and_a_search(keeper):
    rows = [{"code": str(n), "name": f"Item {n}"} for n in range(1, 151)]
    save_entries("Acme", Kind.ITEM, rows)
    page = keeper.get("/settings/lists/items/?page=2").content.decode()
    assert "Page 2 of 2" in page
    found = keeper.get("/settings/lists/items/?q=item+149").content.decode()
    assert "Item 149" in found
    assert "Item 150" not in found
    assert "No entries match" in keeper.get("/settings/lists/items/?q=zzz").content.decode()


def test_entries_of_another_workspace_cannot_be_changed(keeper):
    save_entries("Globex", Kind.BRAND, [{"code": "1", "name": "Theirs"}])
    pk = entries_of("Globex", Kind.BRAND).get().pk
    assert keeper.get(f"{BRANDS}{pk}/").status_code == 404
    assert keeper.post(f"{BRANDS}arrange/", {"retire": pk}).status_code == 404
    assert "Theirs" not in keeper.get(BRANDS).content.decode()
