"""The commands of docs/how-to/api.md do what the guide says."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from threading import Thread
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer, make_server

import pytest
from django.conf import settings
from django.core.wsgi import get_wsgi_application

from accounts import api_tokens
from accounts.rules import Role
from elections import repository
from foundation.acts.storage import log

GUIDE = (settings.BASE_DIR / "docs" / "how-to" / "api.md").read_text()


class Quiet(WSGIRequestHandler):
    def log_message(self, *_arguments) -> None:
        """Nothing: the site has a log of its own."""


@pytest.fixture
def address(site):
    server: WSGIServer = make_server("127.0.0.1", 0, get_wsgi_application(), handler_class=Quiet)
    thread = Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.mark.needs("polls")
@pytest.mark.skipif(not shutil.which("curl"), reason="needs curl")
def test_the_commands_of_the_guide_run_as_they_are_written(address, person):
    script = "set -eu\n" + "\n".join(re.findall(r"```sh\n(.*?)```", GUIDE, re.DOTALL))
    token = api_tokens.create(person("Otto", Role.USER), "A script", ["read", "organise"], 7)
    variables = {"SITE": address, "TOKEN": token, "PATH": "/usr/bin:/bin"}
    done = subprocess.run(["bash", "-c", script], env=variables, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, ""), done.stdout
    answers = [json.loads(line) for line in re.sub(r"\}\{", "}\n{", done.stdout).splitlines()]
    assert [each.get("state") for each in answers if "method" in each] == ["draft", "draft", "open", "closed", "closed"]
    assert [(each["name"], each["state"]) for each in answers[-3]["items"]] == [("Board 2027", "closed")]
    assert answers[-1]["options"] == ["Pizza", "Sushi", "Falafel"]
    assert repository.find("Board 2027").voter_count == 2
    assert sum(event["event_type"] == "ElectionUpdated" for event in log().since(0)) == 1
