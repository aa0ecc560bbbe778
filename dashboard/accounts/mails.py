"""Mails, sent by the worker (`manage.py db_worker`).

No page waits for the mail server, and no answer tells by its time whether there was mail to send.
What a task carries is encrypted, as a mail may hold a link for choosing a password.
"""

import json
import logging
from datetime import timedelta
from smtplib import SMTPException
from typing import Any

from allauth.account import app_settings
from allauth.account.utils import user_pk_to_url_str
from django.core.mail import send_mail
from django.template.loader import render_to_string
from django.utils import timezone
from django.views.decorators.debug import sensitive_variables
from django_tasks import task

from dashboard.accounts import addresses
from dashboard.accounts.models import User
from dashboard.accounts.ways_in import with_password
from dashboard.sealed import seal, unseal

PURPOSE = "mails"
NOBODY = 0  # the owner of what is encrypted: the worker
PAUSES = (60, 10 * 60, 60 * 60)  # seconds before each further try
LINK_KEY = "UID-KEY"  # stands in an address for the part that only the worker knows

logger = logging.getLogger(__name__)


@sensitive_variables()
def post(subject: str, body: str, address: str) -> None:
    """Let the worker send a mail. Raises DatabaseError."""
    send.enqueue(_sealed(subject=subject, body=body, address=address))


@sensitive_variables()
def post_reset_link(address: str, link: str) -> None:
    """Let the worker look whose address it is, and mail them a link for choosing a password.

    link: its address with LINK_KEY in place of the key. Raises DatabaseError.
    """
    send_reset_link.enqueue(_sealed(address=address, link=link))


def key_of(person: User) -> str:
    """The part of a link by which the person chooses a password, good for
    PASSWORD_RESET_TIMEOUT.
    """
    token = app_settings.PASSWORD_RESET_TOKEN_GENERATOR().make_token(person)
    return f"{user_pk_to_url_str(person)}-{token}"


@task(priority=50)
@sensitive_variables()
def send(sealed: str, tried: int = 0) -> None:
    """Send a mail of `post`; what the mail server does not take is tried again after PAUSES."""
    mail = _opened(sealed)
    try:
        send_mail(mail["subject"], mail["body"], None, [mail["address"]])
    except (OSError, SMTPException) as error:
        logger.error("A mail was not sent (try %d): %s", tried + 1, type(error).__name__)
        if tried < len(PAUSES):
            later = timezone.now() + timedelta(seconds=PAUSES[tried])
            send.using(run_after=later).enqueue(sealed, tried + 1)


@task(priority=50)
@sensitive_variables()
def send_reset_link(sealed: str) -> None:
    """Mail a link for choosing a password to the active person with an address, if there is one
    who may sign in with a password. Their addresses of the last week are told that it was asked
    for.
    """
    asked = _opened(sealed)
    people = with_password(User.objects.filter(is_active=True))
    person = people.filter(email=asked["address"].lower()).first()
    if person is None:
        return
    context = {"person": person, "url": asked["link"].replace(LINK_KEY, key_of(person))}
    _post_page("account/email/reset", context, person.email)
    for former in sorted(addresses.former_of(person)):
        _post_page("account/email/reset_elsewhere", {"person": person}, former)


@sensitive_variables()
def _post_page(template: str, context: dict[str, Any], address: str) -> None:
    subject = render_to_string(f"{template}_subject.txt", context).strip()
    post(subject, render_to_string(f"{template}_message.txt", context), address)


def _sealed(**values: str) -> str:
    return seal(json.dumps(values), owner=NOBODY, purpose=PURPOSE)


def _opened(sealed: str) -> Any:
    return json.loads(unseal(sealed, owner=NOBODY, purpose=PURPOSE))
