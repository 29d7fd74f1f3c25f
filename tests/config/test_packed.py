"""Answers are packed by our own means, and whoever unpacks them finds what Django's own would have packed."""

from __future__ import annotations

import gzip
import re
import zlib

import pytest
from django.http import HttpResponse, StreamingHttpResponse
from django.middleware.gzip import GZipMiddleware
from django.test import RequestFactory
from hypothesis import given
from hypothesis import strategies as some

from config.middleware import Packed
from pages import packing
from pages.packing import ACCOUNT, DRAFTS, FOOTER, LANGUAGES, NAMED, TITLE, TOKEN, gzipped
from store.memory import Memory

CONTENTS = some.one_of(
    some.binary(max_size=199),
    some.binary(min_size=20, max_size=40).map(lambda piece: piece * 50),  # whatever the padding, it gets smaller
    some.randoms(use_true_random=True).map(lambda chance: chance.randbytes(5000)),  # and this does not
)
HEADERS = some.dictionaries(
    some.sampled_from(["ETag", "Vary", "Content-Encoding", "Content-Length"]), some.sampled_from(['"a"', 'W/"a"', "br"])
)
ACCEPTED = some.sampled_from(["", "gzip", "br, gzip;q=0.5", "deflate", "xgzip", "*"])


def answered(by, content, headers, accepted, streams):
    make = StreamingHttpResponse if streams else HttpResponse
    answer = make([content] if streams else content, headers=headers)
    request = RequestFactory().get("/", headers={"accept-encoding": accepted})
    return by(lambda _request: answer)(request)


def unpacked(answer):
    content = b"".join(answer) if answer.streaming else answer.content
    return gzip.decompress(content) if answer.get("Content-Encoding") == "gzip" else content


@given(CONTENTS, HEADERS, ACCEPTED, some.booleans())
def test_what_is_packed_and_what_is_said_of_it_is_what_django_says(content, headers, accepted, streams):
    ours, theirs = (answered(by, content, headers, accepted, streams) for by in (Packed, GZipMiddleware))
    if ours.get("Content-Encoding") == "gzip" and not streams:
        for each in (ours, theirs):
            assert each["Content-Length"] == str(len(each.content))
            del each["Content-Length"]
    assert dict(ours.items()) == dict(theirs.items())
    assert unpacked(ours) == unpacked(theirs) == content


@given(CONTENTS)
def test_one_member_without_a_time(content):
    packed = gzipped(content)
    inflate = zlib.decompressobj(zlib.MAX_WBITS | 16)
    assert (inflate.decompress(packed), inflate.unused_data, inflate.eof) == (content, b"", True)
    assert packed.startswith(NAMED)


def test_its_length_is_by_chance():
    """Sixty times the same would be a chance of one in 100 to the power of 59."""
    assert len({len(gzipped(b"a page" * 100)) for _ in range(60)}) > 1


# --- the frame of pages ---


@pytest.fixture
def frames(monkeypatch):
    found = Memory[bytes](1_000_000, packing.frames.weigh)
    monkeypatch.setattr(packing, "frames", found)
    return found


def page_of(client, path):
    page = client.get(path, headers={"accept-encoding": "gzip"})
    assert page.status_code == 200
    return gzip.decompress(page.content)


def test_what_every_reader_is_told_alike_is_packed_once(site, signed_in, frames):
    """Neither who reads, nor the token of their forms, nor what they look at, nor what it is called."""
    browsers = [signed_in(name) for name in ("Ada", "Bob")]
    frames._kept.clear()
    pages = [page_of(each, path) for each in browsers for path in ("/me/", "/me/?ask=again")]
    known = [bytes(piece) for piece in frames._kept]
    assert len(known) == 4, "around the mark of the session, and around the token at the end"
    assert all(piece in page for piece in known for page in pages)
    assert sum(map(len, known)) > 3000
    for own in (b"Ada", b"Bob", b"ask=again", b"<title>", b"<main"):
        assert not any(own in piece for piece in known)
    assert not any(each.cookies["csrftoken"].value.encode() in piece for each in browsers for piece in known)
    assert not any(re.search(rb'value="\w{64}', piece) for piece in known), "nor their token as a form has it"


MARKS = [TITLE, DRAFTS, b'"', ACCOUNT, FOOTER, TOKEN, LANGUAGES, b"a page" * 40, b"\xff"]


@given(some.lists(some.sampled_from(MARKS), max_size=12))
def test_wherever_it_is_cut_it_is_whole(pieces):
    content = b"".join(pieces)
    assert gzip.decompress(gzipped(content)) == content


def test_a_long_title_is_packed_as_everything_is(frames):
    content = b"a title" * 20_000 + TITLE + DRAFTS + b'mark">' + ACCOUNT + b"who" + LANGUAGES
    packed = gzipped(content)
    assert gzip.decompress(packed) == content
    assert len(packed) < 2000
