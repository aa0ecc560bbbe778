"""The page of preferences: number and date format."""


def test_a_user_chooses_number_and_date_format(client_of, editor):
    browser = client_of(editor)
    assert "1.234,56" in browser.get("/accounts/preferences/").content.decode()
    typed = {"number_style": ",", "day_style": "mdy", "week_start": "6"}
    page = browser.post("/accounts/preferences/", typed, follow=True)
    assert "Your preferences were saved" in page.content.decode()
    editor.refresh_from_db()
    assert (editor.number_style, editor.day_style) == (",", "mdy")
    assert editor.week_start == 6


def test_unknown_formats_are_refused(client_of, editor):
    page = client_of(editor).post("/accounts/preferences/", {"number_style": "roman"})
    assert set(page.context["form"].errors) == {"number_style", "day_style", "week_start"}
