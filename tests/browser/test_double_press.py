"""A form that the same browser submits twice in quick succession."""

import re

from playwright.sync_api import expect

SUBMIT_TWICE = """field => {
    HTMLFormElement.prototype.submit.call(field.form);
    setTimeout(() => HTMLFormElement.prototype.submit.call(field.form), 300);
}"""


def test_the_second_submission_leads_to_the_same_record(page, sign_in, manager, with_keys, standin):
    posted = []
    page.on("request", lambda request: posted.append(request.url) if request.post_data else None)
    sign_in(page, with_keys(manager))
    page.goto("/contacts/new/")
    page.get_by_label("Name", exact=True).fill("Zebra Ltd")
    standin.fault("slow:2", operation="create", times=1)
    page.get_by_label("Name", exact=True).evaluate(SUBMIT_TWICE)
    expect(page).to_have_url(re.compile(r"/contacts/\d+/$"))
    expect(page.get_by_role("heading", level=1)).to_have_text("Zebra Ltd")
    assert sum(url.endswith("/contacts/new/") for url in posted) == 2
    assert len(standin.ledger(operation="create")) == 1
