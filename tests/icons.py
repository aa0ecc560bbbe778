"""Writes static/icons.svg, the icons of all pages in one file, from the package of Lucide.

python -m tests.icons NAME...    adds icons to those that it has
"""

import re
import sys
from pathlib import Path
from xml.etree import ElementTree

from lucide.jinja import lucide

SPRITE = Path(__file__).parent.parent / "static" / "icons.svg"
KEPT = ("viewBox",)  # of the attributes of an icon; site.css sets the others for all of them


def names() -> list[str]:
    """The icons that the file has, in its order."""
    return re.findall(r'<symbol id="([^"]+)"', SPRITE.read_text(encoding="utf-8"))


def drawn(wanted: list[str]) -> str:
    """The file with these icons, one a line. Raises IconDoesNotExist for what Lucide lacks."""
    symbols = "".join(f"{_symbol(name)}\n" for name in sorted(set(wanted)))
    return f'<svg xmlns="http://www.w3.org/2000/svg">\n{symbols}</svg>\n'


def _symbol(name: str) -> str:
    root = ElementTree.fromstring(str(lucide(name)))
    kept = {key: root.attrib[key] for key in KEPT}
    symbol = ElementTree.Element("symbol", {"id": name} | kept)
    symbol.extend(root)
    text = ElementTree.tostring(symbol, encoding="unicode").replace(" />", "/>")
    return "".join(line.strip() for line in text.splitlines())


if __name__ == "__main__":
    SPRITE.write_text(drawn([*names(), *sys.argv[1:]]), encoding="utf-8")
