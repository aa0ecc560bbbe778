"""The emails of the demo: files, and their links on the terminal."""

import re

from django.core.mail import EmailMessage
from django.core.mail.backends import filebased

LINK = re.compile(r"https?://\S+")


class EmailBackend(filebased.EmailBackend):
    def write_message(self, message: EmailMessage) -> None:
        super().write_message(message)
        links = " ".join(LINK.findall(str(message.body)))
        print(f"Mail to {', '.join(message.to)}: {message.subject} {links}", flush=True)
