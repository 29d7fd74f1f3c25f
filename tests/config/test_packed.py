"""Answers are packed by our own means, and whoever unpacks them finds what Django's own would have packed."""

from __future__ import annotations

import gzip
import zlib

from django.http import HttpResponse, StreamingHttpResponse
from django.middleware.gzip import GZipMiddleware
from django.test import RequestFactory
from hypothesis import given
from hypothesis import strategies as some

from config.middleware import Packed
from pages.packing import NAMED, gzipped

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
