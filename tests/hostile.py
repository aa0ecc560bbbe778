"""Hostile strings: what a field may be given that a page, a file or a query could carry out.

Markup brings an element <zz-hit> or attributes that begin with onzz or zz-; a page that carries
any of it out has what no template of ours has.
"""
# ruff: noqa: RUF001, E501  wide forms are meant

from itertools import chain, product

_ELEMENTS = (
    "<zz-hit>", "<ZZ-HIT/>", "<zz-hit\n>", "<zz-hit/onzz=1>", "</textarea><zz-hit>",
    "</title><zz-hit>", "</script><zz-hit>", "</style><zz-hit>", "</option></select><zz-hit>",
    "--><zz-hit>", "]]><zz-hit>", "</noscript><zz-hit>", "</template><zz-hit>", "</a><zz-hit>",
    "</td></tr></table><zz-hit>", "<zz-hit ", "<<zz-hit>", "<%00zz-hit>", "<zz-hit xmlns='a:b'>",
    "<math><mi><zz-hit></math>", "<table><zz-hit>", "<plaintext><zz-hit>", "<!--><zz-hit>",
)  # fmt: skip
_QUOTES = ("", '"', "'", "`", '">', "'>", '" ', "' ", '"/>', "\\'>", '\\">', "&quot;>", "&#34;>")
_ATTRIBUTES = ("onzz=alert(1)", "zz-a=1", 'onzz="1" x="', "onzz='1' x='", "/onzz=1/", "\tzz-b\t")
_SCRIPTS = (
    "<script>zzHit()</script>", "<img src=x onerror=zzHit()>", "<svg/onload=zzHit()>",
    "<iframe srcdoc='<script>parent.zzHit()</script>'>", "<body onload=zzHit()>",
    "<details open ontoggle=zzHit()>", "<input autofocus onfocus=zzHit()>",
    "<a href=javascript:zzHit()>x</a>", "<form action=javascript:zzHit()><button>",
    "<base href=//evil.invalid/>", "<meta http-equiv=refresh content=0;url=//evil.invalid/>",
    "<link rel=stylesheet href=//evil.invalid/>", "<style>*{background:url(//evil.invalid)}",
    "<object data=//evil.invalid>", "<embed src=//evil.invalid>", "<video><source onerror=zzHit()>",
    "javascript:zzHit()", "JaVaScRiPt:zzHit()", "java\tscript:zzHit()", "\x01javascript:zzHit()",
    "data:text/html,<script>zzHit()</script>", "vbscript:zzHit()", "//evil.invalid/", "\\\\evil",
    "</script><script>zzHit()//", "';zzHit();//", '";zzHit();//', "`${zzHit()}`", "\\u003cscript>",
    "<x hx-get=/ hx-trigger=load>", "<x hx-on:load=zzHit()>", "<x data-hx-get=/>",
    "<script src=//evil.invalid></script>", "＜script＞zzHit()＜/script＞", "+ADw-script+AD4-zzHit()",
)  # fmt: skip
_TEMPLATES = tuple(
    f"{begin}{inner}{end}"
    for (begin, end), inner in product(
        (("{{", "}}"), ("{%", "%}"), ("${", "}"), ("#{", "}"), ("<%=", "%>"), ("{#", "#}")),
        ("7*191", "config", "''.__class__.__mro__", "request.user.password", "include 'x'",
         "settings.SECRET_KEY", "self", "cycler.__init__.__globals__"),
    )
)  # fmt: skip
_FORMULAS = tuple(
    f"{lead}{begin}{rest}"
    for lead, begin, rest in product(
        ("", " ", "\t", "\r", "\n", "'", "\u00a0"),
        ("=", "+", "-", "@", "＝", "＋", "－", "＠"),
        ("1+1", "cmd|'/C calc'!A0", 'HYPERLINK("http://evil.invalid","x")'),
    )
)
_FORMATS = (
    "%s%s%s%n", "%(password)s", "{0}", "{0.__class__}", "{self}", "%d", "%08x" * 8, "{}", "%", "%%",
    "{{}}", "$(id)", "`id`", "; id", "| id", "&& id", "$HOME", "%COMSPEC%", "!!", "${jndi:ldap://x}",
)  # fmt: skip
_QUERIES = (
    "' OR '1'='1", "'; DROP TABLE people_user; --", '" OR ""="', "') OR 1=1--", "1; SELECT 1",
    "' UNION SELECT password FROM people_user--", "%' OR 1=1 --", "_%", "\\", "'", '"', "''", "--",
    "/*", "admin'--", "1e309", "NaN", "Infinity", "-0", "0x1F", "null", "None", "undefined", "true",
    '{"$gt": ""}', '{"__proto__": {}}', "__proto__", "constructor", "[]", "{}", "NULL", "\x1a",
)  # fmt: skip
_PATHS = (
    "../../../etc/passwd", "..\\..\\windows\\win.ini", "%2e%2e%2f", "/etc/passwd", "file:///x",
    "C:\\x", "con", "nul.txt", "a/b", "a\\b", ".", "..", "~", "a\r\nSet-Cookie: zz=1", "a%0d%0aX: 1",
    "\r\nLocation: //evil.invalid", "a\u2028b", "a\u2029b", "a\x85b", "a\x0bb", "a\x0cb", "a;b", "?", "#",
)  # fmt: skip
_SIGNS = (
    "\u202ea\u202c", "\u2066a\u2069", "\u200e", "\u200f", "\u061c", "\ufeffa", "\u200b", "\u200d",
    "שלום", "مرحبا", "\u202eexe.txt", "Z͑ͫ̓ͪ̂ͫ̽͏̴̙̤̞͉͚̯̞̠͍A̴̵̜̰͔ͫ͗͢", "e\u0301" * 9, "\u0301", "ﷺ", "İ", "ß", "ſ", "K",
    "👩\u200d👩\u200d👧", "🏳️\u200d🌈", "🇩🇪", "👍🏿", "𝕏", "\U0010ffff", "\ufffd", "\u0000", "a\u0000b",
    "\x08", "\x7f", "\x1b[31m", "\ue000", "ａｂ", "①", "Ω", "Å", "\u00ad", "\u3000", "x" * 5_000,
    "🙂" * 1_000, "a " * 2_000, "<" * 2_000, "&" * 2_000, "&amp;", "&lt;", "&#x3c;", "&zz;", "&#0;",
    "&#xffffff;", "\n" * 50, "\t", " ", "  a  ", "a\nb", "a\r\nb", "a\rb",
)  # fmt: skip

STRINGS = tuple(
    dict.fromkeys(
        chain(
            _ELEMENTS,
            (f"{quote}{one}" for quote in _QUOTES[1:] for one in ("<zz-hit>", *_ATTRIBUTES)),
            _SCRIPTS,
            (f'">{one}' for one in _SCRIPTS),
            (f"'>{one}" for one in _SCRIPTS),
            _TEMPLATES,
            _FORMULAS,
            _FORMATS,
            _QUERIES,
            _PATHS,
            _SIGNS,
        )
    )
)
