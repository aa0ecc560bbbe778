"""HTML as a tree of xml.etree elements, with the errors that html5ever reports.

html5ever, Servo's parser, is written in Rust: a page takes a quarter of the time of html5lib.
"""

import re
from xml.etree.ElementTree import Element, TreeBuilder

from markupever import HtmlOptions, Parser
from markupever.dom import Element as Node
from markupever.dom import Text


def parse(html: str) -> tuple[Element, list[str]]:
    """The root of a page or of a fragment, whose tags have no namespace, and its parse errors.

    The contents of <noscript>, which html5ever reads as text, stand in its place.
    """
    whole = "<!doctype" in html[:200].lower()
    parser = Parser(HtmlOptions(exact_errors=True, full_document=whole))
    parser.process(re.sub("</?noscript>", "", html)).finish()
    errors = parser.errors()
    builder = TreeBuilder()
    builder.start("document", {})
    for edge in parser.into_dom().root().traverse():
        node = edge.node
        if isinstance(node, Text) and not edge.closed:
            builder.data(node.content)
        elif isinstance(node, Node) and edge.closed:
            builder.end(node.name.local)
        elif isinstance(node, Node):
            builder.start(
                node.name.local, {name.local: value for name, value in node.attrs.items()}
            )
    builder.end("document")
    return builder.close(), errors


def tree(html: str) -> Element:
    return parse(html)[0]
