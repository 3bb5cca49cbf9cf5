"""Which links may be shown as links."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ambidex.capabilities.links import safe_link

HOSTS = ("example.org", "*.studio.example")

REFUSED = [
    "",
    "example.org",
    "//example.org/a",
    "http://example.org/",
    "ftp://example.org/",
    "javascript:alert(1)",
    "JaVaScRiPt:alert(1)",
    "java\nscript:alert(1)",
    " javascript:alert(1)",
    "javascript://example.org/%0aalert(1)",
    "data:text/html,<script>alert(1)</script>",
    "vbscript:msgbox(1)",
    "file:///etc/passwd",
    "blob:https://example.org/1",
    "https:example.org",
    "https:/example.org",
    "https:///example.org",
    "https://",
    "https://user@example.org/",
    "https://user:secret@example.org/",
    "https://example.org@evil.test/",
    "https://example.org%40evil.test/",
    "https://example.org\\@evil.test/",
    "https://example.org\\.evil.test/",
    "https://exаmple.org/",  # a Cyrillic а
    "https://ｅxample.org/",  # full width
    "https://xn--exmple-4nf.org/",
    "https://a.xn--p1ai/",
    "https://example。org/",
    "https://exam\u200bple.org/",
    "https://example.org/\u202egpj.exe",
    "https://example.org/a b",
    "https://example.org/a\tb",
    "https://example.org/\r\nSet-Cookie: a=b",
    "https://example.org/\x00",
    "https://example.org/\x7f",
    "https://example.org/<b>",
    'https://example.org/"onload="',
    "https://example.org/%zz",
    "https://example.org/\ud800",
    "https://localhost/",
    "https://127.0.0.1/",
    "https://2130706433/",
    "https://0x7f.1/",
    "https://0x7f000001/",
    "https://a.017700000001/",
    "https://[::1]/",
    "https://[::ffff:127.0.0.1]/",
    "https://example.org:0/",
    "https://example.org:99999/",
    "https://example.org:port/",
    "https://-example.org/",
    "https://example..org/",
    "https://" + "a" * 64 + ".org/",
    "https://example.org/" + "a" * 2048,
]

SHOWN = [
    ("https://example.org", True),
    ("HTTPS://example.org/", True),
    ("https://EXAMPLE.org/a?b=c&d=%20#e", True),
    ("https://example.org./", True),
    ("https://example.org:443/", True),
    ("https://example.org:8443/", False),
    ("https://a.studio.example/", True),
    ("https://studio.example/", False),
    ("https://evilstudio.example/", False),
    ("https://evil-example.org/", False),
    ("https://example.org.evil.test/", False),
    ("https://evil.test/?https://example.org/", False),
    ("https://evil.test/#@example.org/", False),
]


@pytest.mark.threat("H05")
@pytest.mark.parametrize("url", REFUSED)
def test_a_link_that_is_more_than_it_seems_is_refused(url: str) -> None:
    assert safe_link(url, HOSTS) is None


@pytest.mark.threat("H05")
@pytest.mark.parametrize(("url", "verified"), SHOWN)
def test_a_link_is_verified_only_on_a_host_of_the_list(url: str, verified: bool) -> None:
    link = safe_link(url, HOSTS)
    assert link is not None
    assert link.verified is verified


@pytest.mark.threat("H05")
def test_http_is_an_exception_that_has_to_be_made() -> None:
    assert safe_link("http://example.org/", HOSTS) is None
    link = safe_link("http://example.org/", HOSTS, http=True)
    assert link is not None
    assert link.verified


@pytest.mark.threat("H05")
def test_letters_behind_the_host_are_escaped() -> None:
    link = safe_link("https://example.org/wiki/Köln?q=ü")
    assert link is not None
    assert link.url == "https://example.org/wiki/K%C3%B6ln?q=%C3%BC"


@pytest.mark.threat("H05")
@pytest.mark.parametrize("value", [None, 7, b"https://example.org/", ["https://example.org/"]])
def test_what_is_no_text_is_no_link(value: object) -> None:
    assert safe_link(value) is None


@pytest.mark.threat("H05")
@given(st.text(max_size=60), st.booleans())
def test_any_text_is_refused_or_shown_as_plain_ascii_with_a_known_scheme(tail: str, http: bool) -> None:
    for url in (tail, f"https://{tail}", f"https://example.org{tail}"):
        link = safe_link(url, HOSTS, http=http)
        if link is not None:
            assert link.url.startswith(("https://", "http://"))
            assert link.url.isascii()
            assert link.url.isprintable()
            assert " " not in link.url
            assert (
                not link.verified
                or link.url.lower().split("/")[2].rstrip(".").split(":")[0] == "example.org"
                or (".studio.example" in link.url)
            )
