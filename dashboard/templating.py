"""How templates are loaded, and what stands in them for what is put in later."""

import re
import secrets

from django.template import Origin
from django.template.loaders import filesystem
from django.utils.safestring import SafeString

HOLE = SafeString(secrets.token_hex())
"""Stands on a page that is drawn once for what differs each time: `page.split(HOLE)`. Nobody can
type it, as it is made up at every start and never sent.
"""

INDENTATION = re.compile(r"\n\s+")


class WithoutIndentation(filesystem.Loader):
    """Our own templates, indented for people to read, go out without it: nobody pays for it twice.

    A line's end stays, so that what was apart stays apart. Text files stay as they are.
    """

    def get_contents(self, origin: Origin) -> str:
        """The source as it is compiled."""
        source: str = super().get_contents(origin)
        return INDENTATION.sub("\n", source) if origin.name.endswith(".html") else source
