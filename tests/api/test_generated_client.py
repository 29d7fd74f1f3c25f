"""A client that is generated from the description, as others would make one, reads results and news."""

from __future__ import annotations

import json
import subprocess
import sys
from importlib import import_module
from typing import Any

import httpx
import pytest
from django.conf import settings
from django.core.wsgi import get_wsgi_application

from accounts import api_tokens
from accounts.api import openapi
from accounts.rules import Role
from ballots import services as voting
from ballots.sealing import seal_closed
from elections.lifecycle.closing import close_and_follow_up
from tests.ballots.conftest import opened  # noqa: F401 - a fixture

pytestmark = pytest.mark.deep  # generating takes seconds

PACKAGE = "generated_client"
GENERATE = ("-m", "openapi_python_client", "generate", "--meta", "none", "--fail-on-warning")  # nothing may be left out
FILES = ("--path", "openapi.json", "--config", "config.yaml", "--output-path", PACKAGE)


@pytest.fixture
def ask(site, tmp_path, monkeypatch):
    """Calls an operation through the generated client, which asks this very site."""
    (tmp_path / "openapi.json").write_text(json.dumps(openapi.current()))
    (tmp_path / "config.yaml").write_text("post_hooks: []\n")
    done = subprocess.run(
        [sys.executable, *GENERATE, *FILES], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    monkeypatch.syspath_prepend(str(tmp_path))

    def send(operation: str, *words: Any, token: str = "", **more: Any) -> Any:
        base = f"{settings.SITE_URL}/api/v1"
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        client = import_module(PACKAGE).Client(base)
        client.set_httpx_client(
            httpx.Client(transport=httpx.WSGITransport(get_wsgi_application()), base_url=base, headers=headers)
        )
        return import_module(f"{PACKAGE}.api.{operation}").sync(*words, client=client, **more)

    return send


def test_it_reads_a_result_and_writes_and_reads_news(ask, person, opened):  # noqa: F811
    election = opened("Ann", results_public=True)
    voting.cast(person("Ann"), "Board", {"0": ["1"], "1": ["2"]}, "form")
    close_and_follow_up(person("the organiser"), election)
    seal_closed()
    outcome = ask("results.public_result", "Board").outcome
    assert outcome.winners == ["Ada"]
    assert [each.name for each in outcome.candidates] == ["Ada", "Bo", "Cy"]
    assert [each.name for each in ask("results.public_results").items] == ["Board"]
    token = api_tokens.create(person("Olga", Role.ADMIN), "A program", ["read", "organise"], 30)
    models = import_module(f"{PACKAGE}.models")
    post = ask("news.news_write", token=token, body=models.NewPost("Hello", "*World*"))
    assert (post.slug, post.state.value) == ("hello", "draft")
    ask("news.news_publish", post.id, token=token, body=models.Publication())
    assert [each.title for each in ask("news.news_list").items] == ["Hello"]
    assert ask("news.news_read", post.id).text == "*World*"
    refusal = ask("news.news_read", "no-such-post")
    assert refusal.status == 404
