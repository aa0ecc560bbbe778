"""Mails, sent by the worker (`manage.py db_worker`).

No page waits for the mail server, and no answer tells by its time whether there was mail to send.
A mail is a row of `Mail` until the mail server has taken it. Its content is encrypted, as it may
hold a link for choosing a password.
"""

import json
from datetime import timedelta
from smtplib import SMTPException
from typing import Any

import structlog
from allauth.account import app_settings
from allauth.account.utils import user_pk_to_url_str
from django.core.mail import send_mail
from django.db import transaction
from django.db.models import QuerySet
from django.template.loader import render_to_string
from django.utils import timezone
from django.views.decorators.debug import sensitive_variables
from django_tasks import task

from dashboard.core.sealed import seal, unseal
from dashboard.people.models import Mail, User
from dashboard.people.sign_in import with_password

PURPOSE = "mails"
NOBODY = 0  # the owner of what is encrypted: the worker
PAUSES = (60, 10 * 60, 60 * 60, 4 * 60 * 60)  # seconds before each further try; the last repeats
GIVEN_UP_AFTER = timedelta(days=3)
LINK_KEY = "UID-KEY"  # stands in an address for the part that only the worker knows

logger = structlog.stdlib.get_logger(__name__)


@sensitive_variables()
def post(kind: str, subject: str, body: str, address: str) -> None:
    """Let the worker send a mail. kind: the name of its template. Raises DatabaseError."""
    person = User.objects.filter(email=address.lower()).first()
    mail = Mail(kind=kind.replace("_", " "), person=person, next_try=timezone.now())
    mail.content = {"subject": subject, "body": body, "address": address}
    with transaction.atomic():
        mail.save(force_insert=True)
        deliver.enqueue(mail.pk)


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


def waiting() -> QuerySet[Mail]:
    """The mails that are tried on, the oldest first."""
    return Mail.objects.filter(next_try__isnull=False).order_by("since")


@task(priority=50)
def deliver(mail: int) -> None:
    """Send a mail of `post`; one that the mail server does not take is tried again after PAUSES.

    The next try is planned before this one begins, so that the end of the worker loses no mail.
    """
    claimed = _claimed(mail)
    if claimed is None:
        return
    about = {"kind": claimed.kind, "person": claimed.person_id, "tried": claimed.tried}
    try:
        _send(claimed)
    except (OSError, SMTPException) as error:
        kind = type(error).__name__
        Mail.objects.filter(pk=claimed.pk).update(error=kind)
        logger.error("a mail was not sent", **about, error=kind, again=claimed.next_try)
    else:
        claimed.delete()
        logger.info("a mail was sent", **about)


@transaction.atomic
def _claimed(pk: int) -> Mail | None:
    """The mail, with its next try planned; None if it was sent, or is not due yet."""
    now = timezone.now()
    mail = Mail.objects.filter(pk=pk, next_try__lte=now).first()
    if mail is None:
        return None
    due, tried = mail.next_try, mail.tried
    later = now + timedelta(seconds=PAUSES[min(tried, len(PAUSES) - 1)])
    mail.tried, mail.next_try = tried + 1, later if later < mail.since + GIVEN_UP_AFTER else None
    same = Mail.objects.filter(pk=pk, next_try=due, tried=tried)
    if not same.update(tried=mail.tried, next_try=mail.next_try):
        return None  # another worker has it
    if mail.next_try:
        deliver.using(run_after=mail.next_try).enqueue(pk)
    return mail


@sensitive_variables()
def _send(mail: Mail) -> None:
    content = mail.content
    send_mail(content["subject"], content["body"], None, [content["address"]])


@task(priority=50)
@sensitive_variables()
def send_reset_link(sealed: str) -> None:
    """Mail a link for choosing a password to the active person with an address, if there is one
    who may sign in with a password.
    """
    asked = _opened(sealed)
    people = with_password(User.objects.filter(is_active=True))
    person = people.filter(email=asked["address"].lower()).first()
    if person is None:
        return
    context = {"person": person, "url": asked["link"].replace(LINK_KEY, key_of(person))}
    subject = render_to_string("account/email/reset_subject.txt", context).strip()
    body = render_to_string("account/email/reset_message.txt", context)
    post("reset", subject, body, person.email)


def _sealed(**values: str) -> str:
    return seal(json.dumps(values), owner=NOBODY, purpose=PURPOSE)


def _opened(sealed: str) -> Any:
    return json.loads(unseal(sealed, owner=NOBODY, purpose=PURPOSE))
