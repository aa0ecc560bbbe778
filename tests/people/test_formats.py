"""The formats of numbers and dates on the page of the account."""


def test_a_user_chooses_number_and_date_format(client_of, editor):
    browser = client_of(editor)
    assert "1.234,56" in browser.get("/accounts/").content.decode()
    typed = {"number_style": ",", "day_style": "mdy", "week_start": "6"}
    page = browser.post("/accounts/", typed, follow=True)
    assert "Your formats were saved" in page.content.decode()
    editor.refresh_from_db()
    assert (editor.number_style, editor.day_style) == (",", "mdy")
    assert editor.week_start == 6


def test_unknown_formats_are_refused(client_of, editor):
    page = client_of(editor).post("/accounts/", {"number_style": "roman"})
    assert set(page.context["form"].errors) == {"number_style", "day_style", "week_start"}
