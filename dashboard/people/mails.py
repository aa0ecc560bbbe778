"""Sends emails in the worker (`manage.py db_worker`).

No page waits for the mail server, so the time of an answer does not reveal whether there was an
email to send. An email is a row of `Mail` until the mail server has accepted it. Its content is
encrypted, as it may hold a link for choosing a password.
"""

from collections.abc import Collection, Mapping
from datetime import datetime, timedelta
from smtplib import (
    SMTPAuthenticationError,
    SMTPException,
    SMTPRecipientsRefused,
    SMTPSenderRefused,
)
from socket import gaierror
from ssl import SSLError
from typing import Any

import structlog
from allauth.account import app_settings
from allauth.account.utils import user_pk_to_url_str
from django.conf import settings
from django.core.mail import send_mail
from django.db import transaction
from django.db.models import QuerySet
from django.template.loader import render_to_string
from django.utils import timezone
from django.views.decorators.debug import sensitive_variables
from django_tasks import task

from dashboard.people.models import UNSENT_MAIL_RETENTION, Mail, User
from dashboard.people.sign_in import may_use_password

RETRY_DELAYS = (60, 600, 3_600, 14_400)  # seconds before each further try; the last repeats
WITH_LINK = ("invitation", "reset")  # kinds whose link expires
REASONS: dict[type[Exception], str] = {
    SMTPAuthenticationError: "The mail server rejected the username or password",
    SMTPSenderRefused: "The mail server rejected the sender",
    SMTPRecipientsRefused: "The mail server rejected the address",
    ConnectionRefusedError: "The mail server rejected the connection",
    TimeoutError: "The mail server did not answer in time",
    gaierror: "The mail server could not be found",
    SSLError: "The connection to the mail server is not secure",
}
LINK_KEY = "UID-KEY"  # stands in an address for the part that only the worker knows

logger = structlog.stdlib.get_logger(__name__)


@sensitive_variables()
def post(kind: str, addresses: Collection[str], context: dict[str, Any]) -> None:
    """Enqueue an email to each address for the worker. kind: the name of its templates. Raises
    DatabaseError.
    """
    lower = [each.lower() for each in addresses]
    people = {each.email: each for each in User.objects.filter(email__in=lower)}
    content = rendered(kind, context)
    _store(kind, [{**content, "address": each} for each in addresses], people)


def rendered(kind: str, context: dict[str, Any]) -> dict[str, str]:
    subject = render_to_string(f"account/email/{kind}_subject.txt", context)
    body = render_to_string(f"account/email/{kind}_message.txt", context)
    return {"subject": " ".join(subject.split()), "body": body}


@sensitive_variables()
def post_reset_link(address: str, link: str) -> None:
    """Let the worker look up the address and email a link for choosing a password.

    link: its URL with LINK_KEY in place of the key. Raises DatabaseError.
    """
    _store("reset", [{"address": address, "link": link}], {})


@sensitive_variables()
def _store(kind: str, contents: list[dict[str, str]], people: Mapping[str, User]) -> None:
    mails = []
    for content in contents:
        person = people.get(content["address"].lower())
        mail = Mail(kind=kind.replace("_", " "), person=person, next_try=timezone.now())
        mail.content = content
        mails.append(mail)
    with transaction.atomic():
        for stored in Mail.objects.bulk_create(mails):
            deliver.enqueue(stored.pk)


def key_of(person: User) -> str:
    """Return the key in a link for choosing a password, valid for PASSWORD_RESET_TIMEOUT."""
    token = app_settings.PASSWORD_RESET_TOKEN_GENERATOR().make_token(person)
    return f"{user_pk_to_url_str(person)}-{token}"


def unsent_invitations() -> QuerySet[Mail]:
    return Mail.objects.filter(kind__in=("invitation", "single sign on"))


def waiting() -> QuerySet[Mail]:
    return Mail.objects.filter(next_try__isnull=False).order_by("since")


@task(priority=50)
def deliver(mail: int) -> None:
    """Send an email of `post`; if the mail server does not accept it, retry after RETRY_DELAYS
    until it has left, its link has expired, or it is deleted.

    The next try is stored before this one starts, so that no email is lost if the worker stops.
    """
    claimed = _claimed(mail)
    if claimed is None:
        return
    about = {"kind": claimed.kind, "person": claimed.person_id, "tried": claimed.tried}
    try:
        is_sent = _send(claimed)
    except (OSError, SMTPException) as error:
        Mail.objects.filter(pk=claimed.pk).update(error=_reason(error))
        kind = type(error).__name__
        logger.error("a mail was not sent", **about, error=kind, again=claimed.next_try)
    else:
        claimed.delete()
        if is_sent:
            logger.info("a mail was sent", **about)


@transaction.atomic
def _claimed(pk: int) -> Mail | None:
    """Return the email, with its next try planned; None if it was sent, or is not due yet."""
    now = timezone.now()
    mail = Mail.objects.filter(pk=pk, next_try__lte=now).first()
    if mail is None:
        return None
    due, tried = mail.next_try, mail.tried
    later = now + timedelta(seconds=RETRY_DELAYS[min(tried, len(RETRY_DELAYS) - 1)])
    mail.tried, mail.next_try = tried + 1, later if later < _expiry(mail) else None
    same = Mail.objects.filter(pk=pk, next_try=due, tried=tried)
    if not same.update(tried=mail.tried, next_try=mail.next_try):
        return None  # another worker has it
    if mail.next_try:
        deliver.using(run_after=mail.next_try).enqueue(pk)
    return mail


def _expiry(mail: Mail) -> datetime:
    link = timedelta(seconds=settings.PASSWORD_RESET_TIMEOUT)
    return mail.since + (link if mail.kind in WITH_LINK else UNSENT_MAIL_RETENTION)


def _reason(error: Exception) -> str:
    """Return the reason, without the answer of the mail server, which may quote the address."""
    known = (words for kind, words in REASONS.items() if isinstance(error, kind))
    return next(known, type(error).__name__)


@sensitive_variables()
def _send(mail: Mail) -> bool:
    """Send the email. Return False if no account has the address for which a link was requested."""
    content = mail.content
    if "link" in content:
        content |= _reset_link(mail, **content)
    if "subject" not in content:
        return False
    send_mail(content["subject"], content["body"], None, [content["address"]])
    return True


@sensitive_variables()
def _reset_link(mail: Mail, address: str, link: str) -> dict[str, str]:
    """Return subject and body for the active person with the address who may sign in with a
    password; {} if there is none. Store the person with the email.
    """
    person = User.objects.filter(is_active=True, email=address.lower()).first()
    if person is None or not may_use_password(person):
        return {}
    Mail.objects.filter(pk=mail.pk).update(person=person)
    return rendered("reset", {"person": person, "url": link.replace(LINK_KEY, key_of(person))})
