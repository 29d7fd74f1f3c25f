"""The receiver in docs/how-to/webhooks.md accepts what this site sends, and nothing that is forged."""

from __future__ import annotations

import re
import time
from pathlib import Path

from parts.webhooks import repository, rules, services

from .sites import Network, now, send

DOCUMENT = Path(__file__).parents[2] / "docs" / "how-to" / "webhooks.md"


def example():
    (code,) = re.findall(r"<!-- executed by [^>]*-->\n```python\n(.*?)```", DOCUMENT.read_text(), re.DOTALL)
    names: dict = {}
    exec(code, names)
    return names["is_genuine"]


def test_the_receiver_of_the_document(person):
    otto, network, is_genuine = person("Otto"), Network(), example()
    endpoint, secret = services.add(otto, otto.name, "https://hooks.example/", rules.TYPES)
    services.send_test(endpoint)
    services.renew_secret(otto, endpoint)
    (new, old) = map(rules.shown_secret, repository.secrets_of(now(endpoint), time.time()))
    assert old == rules.shown_secret(secret)
    send(network)
    (sent,) = network.attempts
    assert is_genuine(new, sent.headers, sent.body)
    assert is_genuine(old, sent.headers, sent.body)  # for a day
    forged = {
        "body": (new, sent.headers, sent.body.replace(b"test", b"sealed")),
        "secret": (rules.shown_secret(b"x" * 32), sent.headers, sent.body),
        "id": (new, sent.headers | {"webhook-id": "msg_other"}, sent.body),
        "signature": (new, sent.headers | {"webhook-signature": "v1,AAAA"}, sent.body),
        "version": (new, sent.headers | {"webhook-signature": "v0," + "A" * 44}, sent.body),
        "no signature": (new, sent.headers | {"webhook-signature": ""}, sent.body),
        "replayed": (new, sent.headers | {"webhook-timestamp": "1700000000"}, sent.body),
        "no time": (new, sent.headers | {"webhook-timestamp": "now"}, sent.body),
    }
    assert {name: is_genuine(*request) for name, request in forged.items()} == dict.fromkeys(forged, False)
