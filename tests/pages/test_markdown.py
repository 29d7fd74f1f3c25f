"""Markdown to HTML: what people mean is shown, and nothing they type runs, loads or breaks the page."""

from __future__ import annotations

import re
from concurrent.futures import ThreadPoolExecutor
from html import unescape
from html.parser import HTMLParser

import pytest
from django.utils.safestring import SafeString
from hypothesis import example, given
from hypothesis import strategies as st

from foundation.pages import markdown
from foundation.pages.markdown import MAX_TEXT_CHARS, excerpt, to_html
from tests.rows import every_row

# Written down once more, so that a longer list in the code is noticed here.
ALLOWED = {
    **{tag: {"dir"} for tag in ("p", "h3", "h4", "h5", "h6", "ul", "blockquote", "pre", "table")},
    **{tag: set() for tag in ("li", "thead", "tbody", "tr", "th", "td", "em", "strong", "s", "code", "br", "hr")},
    "ol": {"dir", "start"},
    "a": {"href", "rel"},
}
VOID = {"br", "hr"}
BLOCKS = {"p", "h3", "h4", "h5", "h6", "ul", "ol", "blockquote", "pre", "table"}


class Reader(HTMLParser):
    """Reads a fragment strictly: every tag closed in its order, nothing that is not allowed."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.wrong: list[str] = []
        self.links: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = dict(attrs)
        self.wrong += [f"<{tag} {name}>" for name in values if name not in ALLOWED.get(tag, set())]
        self.wrong += [f"<{tag}>"] if tag not in ALLOWED or len(values) < len(attrs) else []
        self.wrong += [f"{tag} in {tag}"] if tag in ("a", "p") and tag in self.open else []
        if not self.open and tag in BLOCKS and values.get("dir") != "auto":
            self.wrong.append(f"{tag} without direction")
        if tag == "a":
            self._check_link(values)
        self.open += [] if tag in VOID else [tag]

    def _check_link(self, values: dict[str, str | None]) -> None:
        address = values.get("href") or ""
        self.links.append(address)
        if not re.match(r"(?:https?://|mailto:)", address, re.IGNORECASE) or values.get("rel") != "nofollow noopener":
            self.wrong.append(f"link {values}")

    def handle_endtag(self, tag: str) -> None:
        if not self.open or self.open.pop() != tag:
            self.wrong.append(f"</{tag}>")

    def handle_comment(self, data: str) -> None:
        self.wrong.append("comment")

    handle_decl = handle_pi = unknown_decl = handle_comment


def read(html: str) -> Reader:
    reader = Reader()
    reader.feed(html)
    reader.close()
    reader.wrong += [f"<{tag}> not closed" for tag in reader.open]
    return reader


def show(text: str) -> str:
    """The HTML, checked and without the line ends between blocks."""
    html = to_html(text)
    assert isinstance(html, SafeString)
    assert read(html).wrong == []
    return html.strip()


# --- what people mean ---


@every_row(
    ("text", "html"),
    [
        ("", ""),
        ("Hello", '<p dir="auto">Hello</p>'),
        ("One\nline\r\nand more", '<p dir="auto">One<br>\nline<br>\nand more</p>'),
        ("One\n\nTwo", '<p dir="auto">One</p>\n<p dir="auto">Two</p>'),
        ("*a* **b** ~~c~~ `d`", '<p dir="auto"><em>a</em> <strong>b</strong> <s>c</s> <code>d</code></p>'),
        ("# a", '<h3 dir="auto">a</h3>'),
        ("## a", '<h3 dir="auto">a</h3>'),
        ("## a\n# b\n### c", '<h3 dir="auto">a</h3>\n<h3 dir="auto">b</h3>\n<h4 dir="auto">c</h4>'),
        ("# a\n##### b\n## c", '<h3 dir="auto">a</h3>\n<h4 dir="auto">b</h4>\n<h4 dir="auto">c</h4>'),
        ("# a\n##\n### c", '<h3 dir="auto">a</h3>\n<p dir="auto"></p>\n<h4 dir="auto">c</h4>'),
        ("a\n===", '<h3 dir="auto">a</h3>'),
        ("#\n", '<p dir="auto"></p>'),
        ("- a\n- b", '<ul dir="auto">\n<li>a</li>\n<li>b</li>\n</ul>'),
        ("3. a", '<ol start="3" dir="auto">\n<li>a</li>\n</ol>'),
        ("> a", '<blockquote dir="auto">\n<p>a</p>\n</blockquote>'),
        ("```python\n<b>\n```", '<pre dir="auto"><code>&lt;b&gt;\n</code></pre>'),
        ("    a", '<pre dir="auto"><code>a\n</code></pre>'),
        ("a\n\n---", '<p dir="auto">a</p>\n<hr>'),
        ("שלום", '<p dir="auto">שלום</p>'),
        ("1 < 2 & 3 > 2", '<p dir="auto">1 &lt; 2 &amp; 3 &gt; 2</p>'),
    ],
)
def test_markup_becomes_html(text, html):
    assert show(text) == html


def test_a_table_has_no_styles():
    html = show("|a|b|\n|--:|:-:|\n|1|2|")
    assert html.replace("\n", "") == (
        '<table dir="auto"><thead><tr><th>a</th><th>b</th></tr></thead>'
        "<tbody><tr><td>1</td><td>2</td></tr></tbody></table>"
    )


def link(address: str, words: str) -> str:
    return f'<p dir="auto"><a href="{address}" rel="nofollow noopener">{words}</a></p>'


@every_row(
    ("text", "address", "words"),
    [
        ("[a](https://example.org)", "https://example.org", "a"),
        ("[a](HTTPS://example.org)", "HTTPS://example.org", "a"),
        ('[a](http://example.org/?b=1&c=2 "title")', "http://example.org/?b=1&amp;c=2", "a"),
        ("[a][1]\n\n[1]: https://example.org", "https://example.org", "a"),
        ("[a](mailto:ada@example.org)", "mailto:ada@example.org", "a"),
        ("<https://example.org>", "https://example.org", "https://example.org"),
        ("<ada@example.org>", "mailto:ada@example.org", "ada@example.org"),
        ("https://example.org/a_b_c", "https://example.org/a_b_c", "https://example.org/a_b_c"),
        ("[](https://example.org)", "https://example.org", "https://example.org"),
        ("[\u200b](https://example.org)", "https://example.org", "\u200bhttps://example.org"),
        ("![A fox](https://example.org/fox.png)", "https://example.org/fox.png", "A fox"),
        ("![A *red* fox](https://example.org/fox.png)", "https://example.org/fox.png", "A red fox"),
        ("![](https://example.org/fox.png)", "https://example.org/fox.png", "https://example.org/fox.png"),
        ("[![A fox](https://example.org/fox.png)](https://example.org)", "https://example.org", "A fox"),
        ("![a [b](https://example.org/b)](https://example.org)", "https://example.org", "a b"),
    ],
)
def test_links_have_words_and_pictures_are_links(text, address, words):
    assert show(text) == link(address, words)


@every_row("text", ["README.md", "example.org", "ada@example.org", "//example.org", "ftp://example.org"])
def test_what_is_no_address_of_a_page_stays_text(text):
    assert show(text) == f'<p dir="auto">{text}</p>'


# --- what attackers mean ---

ATTACKS = [
    "<script>alert(1)</script>",
    "<SCRIPT SRC=https://evil.example/x.js></SCRIPT>",
    "<scr<script>ipt>alert(1)</scr</script>ipt>",
    "<img src=x onerror=alert(1)>",
    "<img src=x onerror=alert(1)//",
    "<svg onload=alert(1)>",
    "<svg><script>alert(1)</script></svg>",
    "<svg><style><img src=x onerror=alert(1)></style></svg>",
    "<math><mtext><table><mglyph><style><img src=x onerror=alert(1)>",
    "<iframe src=javascript:alert(1)></iframe>",
    "<object data=javascript:alert(1)></object>",
    "<base href=https://evil.example/>",
    "<form action=https://evil.example><button>Vote</button></form>",
    "<input autofocus onfocus=alert(1)>",
    "<style>*{display:none}</style>",
    '<p style="position:fixed">x</p>',
    '<a id="main" name="main" href="javascript:alert(1)">x</a>',
    "<!-- <script>alert(1)</script> -->",
    "<!--><img src=x onerror=alert(1)>-->",
    "<![CDATA[<script>alert(1)</script>]]>",
    "<?php alert(1) ?>",
    "<!DOCTYPE html><html><body onload=alert(1)>",
    "</p></div></main></body></html>",
    "<plaintext>",
    "<textarea><title><noscript><xmp>",
    "<details open ontoggle=alert(1)>",
    "[x](javascript:alert(1))",
    "[x](JaVaScRiPt:alert(1))",
    "[x]( javascript:alert(1))",
    "[x](<javascript:alert(1)>)",
    "[x](<java\tscript:alert(1)>)",
    "[x](<\x01javascript:alert(1)>)",
    "[x](javascript&colon;alert(1))",
    "[x](javascript&#58;alert(1))",
    "[x](javascript&#x3a;alert(1))",
    "[x](&#106;&#97;&#118;&#97;script:alert(1))",
    "[x](&#x6A&#x61&#x76&#x61script:alert(1))",
    "[x](java&Tab;script:alert(1))",
    "[x](java&NewLine;script:alert(1))",
    "[x](\\javascript:alert(1))",
    "[x](java\\script:alert(1))",
    "[x](javascript\\:alert(1))",
    "[x](javascript%3aalert(1))",
    "[x](javascript://example.org/%0aalert(1))",
    "[x](vbscript:msgbox(1))",
    "[x](data:text/html;base64,PHNjcmlwdD5hbGVydCgxKTwvc2NyaXB0Pg==)",
    "[x](data:image/svg+xml;base64,PHN2Zy8+)",
    "[x](file:///etc/passwd)",
    "[x](blob:https://example.org/1)",
    "[x](//evil.example)",
    "[x](/sign-out)",
    "[x](?next=/)",
    "[x](#main)",
    "[x](\\\\evil.example)",
    "[x](https:evil.example)",
    "[x](https:///evil.example)",
    "[x]\n\n[x]: javascript:alert(1)",
    "[x]\n\n[x]: <data:text/html,x>",
    "![x](javascript:alert(1))",
    "![x](data:image/png;base64,AAAA)",
    "![x](data:image/svg+xml,<svg/onload=alert(1)>)",
    "<javascript:alert(1)>",
    "<data:text/html,x>",
    "javascript://example.org/%0aalert(1)",
    '[x](https://example.org/"onmouseover="alert(1))',
    "[x](https://example.org/ \"\"onmouseover='alert(1)')",
    "[x](https://example.org 'a\" onclick=\"alert(1)')",
    '<https://example.org/"onmouseover="alert(1)>',
    'https://example.org/"onmouseover="alert(1)',
    "https://example.org/<script>alert(1)</script>",
    '![" onerror="alert(1)](https://example.org/x.png)',
    "[a[b[c](javascript:alert(1))](https://example.org)](javascript:alert(2))",
    "[![x](javascript:alert(1))](javascript:alert(2))",
    "![![x](javascript:alert(1))](https://example.org)",
    "[<img src=x onerror=alert(1)>](https://example.org)",
    "[https://example.org](https://example.org/[javascript:alert(1)](javascript:alert(1)))",
    '```"><script>alert(1)</script>\nx\n```',
    "```x onclick=alert(1) class=y\nx\n```",
    "`<script>alert(1)</script>`",
    "    <script>alert(1)</script>",
    '| <script> | " onclick=alert(1) |\n|---|---|\n| </td></table><script> | [x](javascript:1) |',
    "&lt;script&gt;alert(1)&lt;/script&gt;",
    "&#60;script&#62;alert(1)&#60;/script&#62;",
    "&#x0;&#xD800;&#x110000;&#0000000;",
    "*<script>*alert(1)*</script>*",
    "# <svg/onload=alert(1)> {#id .class onclick=alert(1)}",
    "- [x] <input onfocus=alert(1)>",
    "\ud800<script>\udfff",
    "\x00<scr\x00ipt>alert(1)</scr\x00ipt>",
    "＜script＞alert(1)＜/script＞",
    "\u202e<script>\u2066",
]


@every_row("text", ATTACKS)
def test_no_attack_gets_through(text):
    reader = read(show(text))
    assert all("javascript:" not in address.lower().split("example.org")[0] for address in reader.links)


@every_row("text", [text for text in ATTACKS if re.match(r"<(?!https:|data:|javascript:)", text)])
def test_raw_html_is_shown_as_it_was_typed(text):
    assert unescape(re.sub(r"<[^>]*>", "", show(text))) == text.replace("\x00", "\ufffd")


def test_links_that_do_not_count_stay_visible_as_text():
    assert show("[x](javascript:alert(1))") == '<p dir="auto">[x](javascript:alert(1))</p>'


# --- whatever is typed ---

SIGNS = st.text("*_`~[]()!<>|#\\&;\"'=:-/ aäא", min_size=1, max_size=3)
STARTS = st.sampled_from(
    ["\n", "\n\n", "\n- ", "\n1. ", "\n> ", "\n# ", "\n    ", "\t", "\n[x]: ", "[x]", "\n|a|b|\n|-|-|\n"]
)
TRICKS = st.sampled_from(["https://a.b", "mailto:a@b.c", "javascript:", "<script>", "</p>", "<!--", "-->", "<a href="])
TYPED = st.lists(SIGNS | STARTS | TRICKS | st.text(max_size=3), max_size=30).map("".join)


@pytest.mark.deep
@given(TYPED)
@example("[](https://a.b)")
@example("[![](https://a.b)](https://a.b)")
@example("- > # - > #")
@example("https://a.b|")
@example("\ud800<a\x00>\u202e")
def test_whatever_is_typed_the_page_stays_whole(text):
    show(text)


@pytest.mark.deep
@given(TYPED, st.integers(1, 60))
def test_a_preview_is_no_longer_than_asked_and_one_line(text, length):
    words = excerpt(to_html(text), length)
    assert len(words) <= length
    assert words == " ".join(words.split())


HOSTILE = {
    "quotes": "> ",
    "quotes without space": ">",
    "quoted lines": "> a\n\n",
    "brackets": "[",
    "pictures": "![",
    "links": "[a](",
    "emphasis": "*a **b ",
    "code": "`a``b```",
    "lists": "- ",
    "quotes in lists": "- > ",
    "items": "- a\n",
    "addresses": "https://a.b/(",
    "schemes": "://",
    "tables": "a|b\n-|-\n",
    "tags": "<a ",
    "comments": "<!--",
    "entities": "&#x41;",
    "paragraphs": "a\n\n",
    "one word": "a",
}


@pytest.mark.few(6)
@pytest.mark.timeout(20)  # they take less than a second each; what is cubic or worse would take minutes
@pytest.mark.parametrize("piece", HOSTILE.values(), ids=HOSTILE)
def test_the_most_a_form_accepts_is_shown_in_bounded_time(piece):
    text = (piece * MAX_TEXT_CHARS)[:MAX_TEXT_CHARS]
    show(text)
    assert len(excerpt(to_html(text), 100)) <= 100


@pytest.mark.deep
@pytest.mark.timeout(20)
@pytest.mark.parametrize("piece", ["> ", "[", "|\n", "&#x41;", "a\n\n", "<b>", "a"])
def test_more_than_a_form_accepts_is_shown_without_markup(piece):
    text = (piece * 100_000)[:100_000]
    html = show(text)
    assert set(re.findall(r"<(\w+)", html)) <= {"p", "br"}
    assert unescape(re.sub(r"<[^>]*>", "", html)).split() == text.split()
    assert len(excerpt(to_html(text), 100)) <= 100


def everything_in(tokens):
    return sum(1 + everything_in(token.children or []) for token in tokens)


@pytest.mark.deep
@every_row(
    "piece",
    [
        *HOSTILE.values(),
        "<a@b.c> ",
        "mailto:a@b.c ",
        "*a* ",
        "*_",
        "~~a~~ ",
        "1. a\n",
        "# \n",
        "a\n---\n",
        "> - > - a\n",
    ],
)
def test_what_is_parsed_at_all_is_little(piece):
    """A text either has few parts, or is shown as it was typed: nobody is made to wait for twenty thousand of them."""
    text = (piece * MAX_TEXT_CHARS)[:MAX_TEXT_CHARS]
    if not markdown._is_too_much(text):
        assert everything_in(markdown.PARSER.parse(text)) < 30_000
    assert len(to_html(text).encode()) < 200_000, "with the text itself it fits an item"


def test_addresses_in_brackets_become_no_megabytes():
    assert "<a " not in show("<a@b.c> " * 2_500)
    assert show("<a@b.c> " * 900).count("<a ") == 900


def test_a_few_characters_cannot_ask_for_a_million_cells():
    assert "<table" not in show("|a" * 2000 + "|\n" + "|-" * 2000 + "|\n" + "|\n" * 4000)
    assert show("|a|b|\n|-|-|\n" + "|1|2|\n" * 1000).count("<td>") == 2000


def test_a_thousand_links_are_enough():
    assert show("[a](https://a.b)\n" * 500).count("<a ") == 500
    assert "<a " not in show("[a](https://a.b)\n" * 501)


def test_deep_nesting_ends_somewhere():
    assert show("> " * 9_000 + "a").count("<blockquote") < 30


@pytest.mark.deep
def test_threads_do_not_mix_their_texts():
    texts = [f"[{n}](https://example.org/{n}) https://example.com/{n}/" + f" *{n}*" * 50 for n in range(50)]
    alone = [to_html(text) for text in texts]
    with ThreadPoolExecutor(8) as threads:
        assert list(threads.map(to_html, texts * 4)) == alone * 4


# --- previews ---


@every_row(
    ("text", "length", "words"),
    [
        ("", 10, ""),
        ("Hello", 10, "Hello"),
        ("# Who I am\n\nI *am* **Ada**.\n\n- one\n- two", 80, "Who I am I am Ada. one two"),
        ("[a link](https://example.org) and `code`", 80, "a link and code"),
        ("[a][1]\n\n[1]: https://example.org", 80, "a"),
        ("![A fox](https://example.org/fox.png)", 80, "A fox"),
        ("|a|b|\n|-|-|\n|1|2|", 80, "a b 1 2"),
        ("one\ntwo  \nthree", 80, "one two three"),
        ("<b>1 < 2</b> &amp; more", 80, "<b>1 < 2</b> & more"),
        ("one two three", 13, "one two three"),
        ("one two three", 12, "one two…"),
        ("one two three", 8, "one two…"),
        ("one two three", 7, "one…"),
        ("Donaudampfschiff", 6, "Donau…"),
        ("x" * (MAX_TEXT_CHARS + 1), 4, "xxx…"),
    ],
)
def test_a_preview_has_the_first_words_without_markup(text, length, words):
    assert excerpt(to_html(text), length) == words
