"""Mails, sent by the worker (`manage.py db_worker`).

No page waits for the mail server, and no answer tells by its time whether there was mail to send.
A mail is a row of `Mail` until the mail server has taken it. Its content is encrypted, as it may
hold a link for choosing a password.
"""

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

from dashboard.people.models import Mail, User
from dashboard.people.sign_in import with_password

PAUSES = (60, 10 * 60, 60 * 60, 4 * 60 * 60)  # seconds before each further try; the last repeats
GIVEN_UP_AFTER = timedelta(days=3)
LINK_KEY = "UID-KEY"  # stands in an address for the part that only the worker knows

logger = structlog.stdlib.get_logger(__name__)


@sensitive_variables()
def post(kind: str, address: str, context: dict[str, Any]) -> None:
    """Let the worker send a mail. kind: the name of its templates. Raises DatabaseError."""
    person = User.objects.filter(email=address.lower()).first()
    _store(kind, person, {**rendered(kind, context), "address": address})


def rendered(kind: str, context: dict[str, Any]) -> dict[str, str]:
    """Subject and body by the templates of a kind of mail."""
    subject = render_to_string(f"account/email/{kind}_subject.txt", context)
    body = render_to_string(f"account/email/{kind}_message.txt", context)
    return {"subject": " ".join(subject.split()), "body": body}


@sensitive_variables()
def post_reset_link(address: str, link: str) -> None:
    """Let the worker look whose address it is, and mail them a link for choosing a password.

    link: its address with LINK_KEY in place of the key. Raises DatabaseError.
    """
    _store("reset", None, {"address": address, "link": link})


@sensitive_variables()
def _store(kind: str, person: User | None, content: dict[str, str]) -> None:
    mail = Mail(kind=kind.replace("_", " "), person=person, next_try=timezone.now())
    mail.content = content
    with transaction.atomic():
        mail.save(force_insert=True)
        deliver.enqueue(mail.pk)


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
        is_sent = _send(claimed)
    except (OSError, SMTPException) as error:
        kind = type(error).__name__
        Mail.objects.filter(pk=claimed.pk).update(error=kind)
        logger.error("a mail was not sent", **about, error=kind, again=claimed.next_try)
    else:
        claimed.delete()
        if is_sent:
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
def _send(mail: Mail) -> bool:
    """Whether it was sent: no account may have the address that a link was asked for."""
    content = mail.content
    if "link" in content:
        content |= _reset_link(mail, **content)
    if "subject" not in content:
        return False
    send_mail(content["subject"], content["body"], None, [content["address"]])
    return True


@sensitive_variables()
def _reset_link(mail: Mail, address: str, link: str) -> dict[str, str]:
    """Subject and body for the active person with the address who may sign in with a password; {}
    if there is none. The mail is then known as theirs.
    """
    people = with_password(User.objects.filter(is_active=True))
    person = people.filter(email=address.lower()).first()
    if person is None:
        return {}
    Mail.objects.filter(pk=mail.pk).update(person=person)
    return rendered("reset", {"person": person, "url": link.replace(LINK_KEY, key_of(person))})
