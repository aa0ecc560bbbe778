"""User-Agent headers as words."""

import pytest

from dashboard.core.templates import browser_in_words

LIKE = "Mozilla/5.0 ({}) AppleWebKit/537.36 (KHTML, like Gecko) {}"
CHROME = "Chrome/129.0.0.0 Safari/537.36"
IPHONE = "iPhone; CPU iPhone OS 17_5 like Mac OS X"


@pytest.mark.parametrize(
    ("header", "words"),
    [
        (LIKE.format("Windows NT 10.0; Win64; x64", CHROME), "Chrome on Windows"),
        (LIKE.format("Windows NT 10.0; Win64; x64", f"{CHROME} Edg/129.0"), "Edge on Windows"),
        (LIKE.format("Linux; Android 14; Pixel 8", f"{CHROME} OPR/80.0"), "Opera on Android"),
        ("Mozilla/5.0 (X11; Linux x86_64; rv:130.0) Gecko/20100101 Firefox/130.0",
         "Firefox on Linux"),
        (LIKE.format("Macintosh; Intel Mac OS X 10_15_7", "Version/17.5 Safari/605.1.15"),
         "Safari on Mac"),
        (LIKE.format(IPHONE, "CriOS/129.0 Mobile/15E148 Safari/604.1"), "Chrome on iPhone"),
        ("curl/8.5.0", "Unknown browser"),
        ("", "Unknown browser"),
        ("Something (Windows NT 6.1)", "Unknown browser on Windows"),
    ],
)  # fmt: skip
def test_the_browser_and_the_system_are_named(header, words):
    assert browser_in_words(header) == words
