"""A form that the same browser submits again while its first submission is under way."""

import re

from playwright.sync_api import Route, expect

from tests.browser.routes import route_open_page
from tests.waits import wait_until

SUBMIT_TWICE = """field => {
    HTMLFormElement.prototype.submit.call(field.form);
    setTimeout(() => HTMLFormElement.prototype.submit.call(field.form), 300);
}"""


def test_the_second_submission_leads_to_the_same_record(desk_page, standin):
    posted = []

    def let_pass(route: Route) -> None:
        """The second submission when the first waits for the service, not before: the server's
        threads share a connection to the database here, and so a transaction."""
        if route.request.method == "POST":
            posted.append(route.request.url)
            if len(posted) == 2:
                wait_until(lambda: standin.application.faults.rules[0].struck)
        route.continue_()

    page = desk_page("/contacts/new/")
    page.get_by_label("Name", exact=True).fill("Zebra Ltd")
    route_open_page(page, "**/contacts/new/", let_pass)
    standin.fault("slow:2", operation="create", times=1)
    page.get_by_label("Name", exact=True).evaluate(SUBMIT_TWICE)
    expect(page).to_have_url(re.compile(r"/contacts/\d+/$"))
    expect(page.get_by_role("heading", level=1)).to_have_text("Zebra Ltd")
    assert len(posted) == 2
    assert len(standin.ledger(operation="create")) == 1
