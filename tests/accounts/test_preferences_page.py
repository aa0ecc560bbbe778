"""How a person writes numbers and dates."""


def test_a_person_chooses_how_they_write(client_of, editor):
    browser = client_of(editor)
    assert "1.234,56" in browser.get("/accounts/preferences/").content.decode()
    typed = {"number_style": "comma", "day_style": "month_first"}
    page = browser.post("/accounts/preferences/", typed, follow=True)
    assert "Your preferences were saved" in page.content.decode()
    editor.refresh_from_db()
    assert (editor.number_style, editor.day_style) == ("comma", "month_first")


def test_nothing_else_can_be_chosen(client_of, editor):
    page = client_of(editor).post("/accounts/preferences/", {"number_style": "roman"})
    assert set(page.context["form"].errors) == {"number_style", "day_style"}
