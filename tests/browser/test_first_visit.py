"""How much a first visit transfers: signing in, then the page Today; the form of a new invoice."""

import gzip

from playwright.sync_api import Response

from dashboard.accounts.models import User

BUDGET = 70_000  # bytes, beside the typeface
WITH_TYPEFACE = 130_000
A_FORM = 150_000  # with the typeface
REQUESTS_OF_A_FORM = 12
HEADERS = 500  # bytes of each response, at most
PACKED = ("text/", "javascript", "svg", "json")


def size_of(response: Response) -> int:
    """The bytes of a response, with headers, as WhiteNoise and the example of a proxy send it."""
    if response.status >= 300:
        return HEADERS
    kind, body = response.headers.get("content-type", ""), response.body()
    level = 9 if "/static/" in response.url else 6
    packed = any(word in kind for word in PACKED)
    return HEADERS + len(gzip.compress(body, level) if packed else body)


def test_signing_in_and_today_fit_the_budget_of_a_first_visit(page, manager, with_keys):
    with_keys(manager)
    User.objects.filter(pk=manager.pk).update(username="manager")
    manager.refresh_from_db()
    manager.set_password("a-long-pass-word-1")
    manager.save()
    sizes: dict[str, int] = {}
    page.on("response", lambda one: sizes.setdefault(one.url, size_of(one)))
    page.goto("/accounts/login/")
    page.locator("[name=login]").fill("manager")
    page.locator("[name=password]").fill("a-long-pass-word-1")
    page.keyboard.press("Enter")
    page.wait_for_url(lambda url: "/accounts/" not in url)
    page.wait_for_load_state("networkidle")
    assert any("/static/site" in url for url in sizes)  # the scripts of the shell were seen
    typeface = sum(size for url, size in sizes.items() if url.endswith(".woff2"))
    assert typeface, "the typeface was loaded"
    assert sum(sizes.values()) - typeface <= BUDGET, sizes
    assert sum(sizes.values()) <= WITH_TYPEFACE, sizes


def test_a_new_invoice_fits_the_budget_of_a_first_visit(page, manager, with_keys, sign_in):
    sizes: dict[str, int] = {}
    sign_in(page, with_keys(manager))
    page.on("response", lambda one: sizes.setdefault(one.url, size_of(one)))
    page.goto("/invoices/new/", wait_until="networkidle")
    assert any("/static/lines" in url for url in sizes)  # the scripts of the form were seen
    assert len(sizes) <= REQUESTS_OF_A_FORM, sizes
    assert sum(sizes.values()) <= A_FORM, sizes
