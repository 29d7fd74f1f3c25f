"""Forms are read as Django reads them, only sooner."""

from __future__ import annotations

import pytest
from django.core.exceptions import TooManyFieldsSent
from django.http import QueryDict
from django.middleware import csrf
from hypothesis import given
from hypothesis import strategies as st

from pages import sent

SENT = [
    "",
    "a=1&b=2&a=3",
    "a",
    "=",
    "=1",
    "a==1&&b=&",
    "&",
    "a=1;b=2",
    "a=%20+%C3%A4&b=+",
    "a=ä&ö=1",
    "rank-0=1&rank-1=&token=x_Y-z",
]


def as_django_reads(query: str | bytes, **more: object) -> QueryDict:
    form = QueryDict.__new__(QueryDict)
    sent._field_by_field(form, query, **more)
    return form


def same(query: str | bytes, **more: object) -> bool:
    one, other = QueryDict(query, **more), as_django_reads(query, **more)
    return (list(one.lists()), vars(one)) == (list(other.lists()), vars(other))


@pytest.mark.parametrize("query", SENT)
@pytest.mark.parametrize("more", [{}, {"mutable": True}, {"encoding": "utf-8"}, {"encoding": "iso-8859-1"}])
def test_a_form_is_read_as_django_reads_it(query, more):
    assert same(query, **more)
    assert same(query.encode(), **more)
    assert same(query.encode("iso-8859-1"), **more)


@given(st.text(st.sampled_from("ab=&%+2;ä \n\x00")))
def test_whatever_is_sent_is_read_as_django_reads_it(query):
    assert same(query)
    assert same(query.encode())


def test_nothing_sent_is_an_empty_form_that_nobody_changes():
    assert QueryDict() == QueryDict(None) == QueryDict(b"") == {}
    with pytest.raises(AttributeError):
        QueryDict()["a"] = "1"
    QueryDict(mutable=True)["a"] = "1"


def test_too_many_fields_are_refused(settings):
    settings.DATA_UPLOAD_MAX_NUMBER_FIELDS = 3
    assert len(QueryDict("a=1&b=1&c=1")) == 3
    with pytest.raises(TooManyFieldsSent):
        QueryDict("a=1&b=1&c=1&d=1")
    settings.DATA_UPLOAD_MAX_NUMBER_FIELDS = None
    assert len(QueryDict("a=1&b=1&c=1&d=1")) == 4


def test_the_mask_of_a_form_is_djangos():
    letters = csrf.CSRF_ALLOWED_CHARS
    for _ in range(200):
        secret = csrf._get_new_csrf_string()
        token = csrf._mask_cipher_secret(secret)
        mask, cipher = token[:32], token[32:]
        places = [
            (letters.index(one) - letters.index(other)) % len(letters) for one, other in zip(cipher, mask, strict=True)
        ]
        assert "".join(letters[place] for place in places) == secret == csrf._unmask_cipher_token(token)
        assert csrf._does_token_match(token, secret)
        assert not csrf._does_token_match(token, secret[::-1])


def test_they_are_in_the_place_of_djangos():
    assert QueryDict.__init__ is sent._fields_at_once
    assert csrf._unmask_cipher_token is sent.unmasked
