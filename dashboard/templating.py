"""How templates are loaded."""

import re

from django.template import Origin
from django.template.loaders import filesystem

INDENTATION = re.compile(r"\n\s+")


class WithoutIndentation(filesystem.Loader):
    """Our own templates, indented for people to read, go out without it: nobody pays for it twice.

    A line's end stays, so that what was apart stays apart. Text files stay as they are.
    """

    def get_contents(self, origin: Origin) -> str:
        """The source as it is compiled."""
        source: str = super().get_contents(origin)
        return INDENTATION.sub("\n", source) if origin.name.endswith(".html") else source
