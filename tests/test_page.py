"""tests.page.inspect reports each problem of a page."""

import pytest

from tests.page import inspect

GOOD = (
    "<!doctype html><html lang=en><head><title>Contacts · Desk</title></head>"
    "<body><h1>Contacts</h1>{}</body></html>"
)


def test_a_valid_page_has_no_problems():
    good = (
        '<label for="a">Name</label><input id="a"><label>Kind <select></select></label>'
        '<svg><path d="M0 0"/></svg><table><tbody><tr><td>1</table><br/>'
    )
    assert inspect(GOOD.format(good)) == []


@pytest.mark.parametrize(
    ("part", "problem"),
    [
        ("<h1>Again</h1>", "2 h1 elements"),
        ('<p id="a"></p><p id="a"></p>', "id 'a' is used 2 times"),
        ('<input name="x">', "<input name='x'> has no label"),
        ('<button class="b"></button>', "<button class='b'> says nothing"),
        ('<p style="color: red">', "<p> has a style attribute"),
        ("<script>1</script>", "an inline <script>"),
        ('<a href="/" onclick="x()">x</a>', "<a onclick>"),
        ('<label for="gone">x</label>', "for='gone' leads nowhere"),
        ("<p><div></p></div>", "invalid HTML"),
        ("<noscript><p><div></p></div></noscript>", "invalid HTML"),
        ('<noscript><input name="x"></noscript>', "<input name='x'> has no label"),
        ("<ul><li>1", "invalid HTML"),
        ("<div/>", "invalid HTML"),
        ("<b>1</i></b>", "invalid HTML"),
        ('<p lang="a" lang="b">', "invalid HTML"),
        ("<table><div></div></table>", "invalid HTML"),
        ('<form><form action="/"></form></form>', "invalid HTML"),
        ('<a href="/">1<a href="/">2</a></a>', "invalid HTML"),
        ("&nbs;", "invalid HTML"),
        ("&lt;ul>", "'<ul>' is shown as text"),
        ("&lt;bound method Form.rest>", "'<bound method' is shown as text"),
    ],
)
def test_each_problem_is_reported(part, problem):
    assert any(problem in found for found in inspect(GOOD.format(part)))


def test_a_title_must_start_with_the_heading():
    page = GOOD.format("").replace("<title>Contacts", "<title>Desk")
    assert "does not start with the h1" in inspect(page)[0]


def test_a_title_may_start_with_the_word_error():
    assert inspect(GOOD.format("").replace("<title>", "<title>Error: ")) == []


def test_a_fragment_needs_no_heading():
    assert inspect("<tr><td>Acme</td></tr>".replace("tr", "p").replace("td", "b")) == []
