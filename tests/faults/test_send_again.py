"""Send again, for every resource and operation: exactly one effect."""

import pytest

from dashboard import resources

from .browser import text_of, token_of
from .matrix import pending_deletion
from .samples import SAMPLES

OPERATIONS = [
    (resource.name, operation)
    for resource in resources.ALL
    for operation in ("create", "update", "delete")
    if operation in resource.endpoint.operations | resource.endpoint.unpublished
]


def pressed(home, user, name, operation, mark):
    """Submit the form of the operation while the connection breaks; the Not sure page's address."""
    sample, browser = SAMPLES[name], user.browser
    if operation == "create":
        url = f"{sample.url}new/"
        data = browser.form(url, **sample.typed(mark))
    else:
        number = home.create(user, sample, mark)
        url = f"{sample.url}{number}/edit/"
        if operation == "update":
            data = browser.form(url, **sample.changed(mark))
        else:
            url, data = pending_deletion(user, f"{sample.url}{number}/delete/")
    home.fresh()
    home.standin.fault("reset-before", operation=operation, resource=name, times=1)
    return browser.post(url, data).headers["Location"]


@pytest.mark.parametrize(("name", "operation"), OPERATIONS)
def test_a_write_that_is_sent_again_has_exactly_one_effect(home, user, name, operation):
    entry = pressed(home, user, name, operation, f"zqagain{name}{operation}")
    assert entry.startswith("/unsure/")
    home.end_looks()
    page = user.browser.get(entry)
    data = {"token": token_of(page)}
    answers = [user.browser.post(f"{entry}again/", data) for _ in range(2)]
    shown = user.browser.follow(answers[0])[-1]
    assert f"Sent again, and {'deleted' if operation == 'delete' else 'saved'}." in text_of(shown)
    first, again = home.ledger(operation=operation, resource=name)
    assert (first["effect"], again["effect"]) == (False, True)
    assert again["body"] == first["body"]
    assert home.lines.errors == []


def test_a_changed_start_of_a_task_is_sent_again(home, user):
    sample = SAMPLES["tasks"]
    number = home.create(user, sample, "zqstart")
    url = f"{sample.url}{number}/edit/"
    data = user.browser.form(url, start_datetime="2026-04-07 10:30")
    home.fresh()
    home.standin.fault("reset-before", operation="update", resource="tasks", times=1)
    entry = user.browser.post(url, data).headers["Location"]
    home.end_looks()
    user.browser.post(f"{entry}again/", {"token": token_of(user.browser.get(entry))})
    assert home.stored("tasks", number)["start_datetime"] == "2026-04-07T10:30:00"
