"""A program: an election from draft to verified result, and a walk over every page there is, on a site without parts.

It ends with an error if a part is loaded, a page fails or a link leads nowhere. Tests start it with `PARTS=none`.
"""

from __future__ import annotations

import re
import sys
from html import unescape
from urllib.parse import urldefrag

import django

HERE = "/election/Board/"
HREF = re.compile(r'<a\b[^>]*\shref="(/[^"]*)"')
FIELD = re.compile(r'<input type="hidden" name="([^"]+)" value="([^"]*)"')
TAG = re.compile(r"<[^>]*>")
OF_PARTS = re.compile(r"\bletters?\b|polling station", re.IGNORECASE)
MAX_PAGES = 300
# Where somebody gets by a mail, a letter or an address of a friend, and looks for help.
UNLINKED = ("/", "/sign-in/?next=/election/Board/", "/my-link/", f"{HERE}my-link/", "/vote/", "/vote/gone/")
SETTINGS = {
    **{"name": "Board", "electorate": "listed", "results_visible": "closed", "method": "schulze", "seats": "1"},
    **{"unranked": "below", "time_zone": "UTC"},
}


def main() -> None:
    django.setup()
    from django.core.management import call_command
    from django.test import Client
    from django.test.utils import setup_test_environment

    from accounts import repository as people
    from accounts.rules import Role
    from elections import repository as elections
    from elections.actions import change
    from elections.drafts import services as drafts
    from elections.rules import Action
    from foundation.acts.storage import table
    from tests.people import make_owner, sign_in

    setup_test_environment()
    call_command("collectstatic", verbosity=0, interactive=False)
    table().create()
    owner = sign_in(make_owner())
    voters = {name: sign_in(name, Role.VOTER) for name in ("Ann", "Ben", "Cleo")}
    everybody = {"the owner": owner, "a voter": voters["Ann"], "a stranger": Client()}

    send(owner, "/elections/new/all/", SETTINGS)
    person = people.find(people.owner_name())
    drafts.create(person, "Colours", of_options=True)
    change(
        person, elections.find("Board"), Action.SET_QUESTIONS, questions_from="everyone"
    )  # by a part, before it left
    send(owner, f"{HERE}candidates/", {"names": "Ada\nBo\nCy"})
    send(owner, "/election/Colours/candidates/", {"names": "Red\nBlue"})
    send(owner, f"{HERE}roll/", {"voters": "\n".join(voters)})
    send(owner, f"{HERE}roll/", {"voters": "Name,Member number\nDora,4711"})
    offers_nothing_else(owner, "settings", "open", "roll", "roll/import")
    send(owner, f"{HERE}open/", {})
    offers_nothing_else(owner, "dashboard", "roll", "invite")
    walk(everybody)
    for voter in voters.values():
        review = voter.post(f"{HERE}ballot/", {"rank-0": "1", "rank-1": "2"}).content.decode()
        thanks = voter.post(f"{HERE}ballot/cast/", dict(FIELD.findall(review)))
        assert "Your vote is cast" in thanks.content.decode(), thanks.status_code
    send(owner, f"{HERE}close/", {})
    assert "Ada" in owner.get(f"{HERE}results/").content.decode()
    for address in UNLINKED:
        assert "ask the organisers" not in Client().get(address).content.decode().lower(), address
    walk(everybody)
    call_command("verify")
    assert not [name for name in sys.modules if name.startswith("parts.")]
    document = owner.get("/api/v1/openapi.json").json()
    assert sorted(document["paths"]["/elections/{name}/voters"]) == ["get", "post"]
    print(sorted({path.split("/")[1] for path in document["paths"]}))


def send(client, address: str, fields: dict[str, str]) -> None:
    answer = client.post(address, fields)
    assert answer.status_code == 302, f"{address} answers {answer.status_code}: {answer.content.decode()}"


def offers_nothing_else(owner, *pages: str) -> None:
    """Of what parts add to pages of an election."""
    for page in pages:
        answer = owner.get(f"{HERE}{page}/")
        assert answer.status_code == 200, page
        found = OF_PARTS.search(TAG.sub(" ", answer.content.decode()))
        assert not found, f"{page} speaks of a {found[0]}"


def walk(everybody) -> None:
    """Every page that a link leads to, for each of them."""
    for who, client in everybody.items():
        waiting, seen = list(UNLINKED), set()
        while waiting and len(seen) < MAX_PAGES:
            address = waiting.pop()
            if address in seen:
                continue
            seen.add(address)
            answer = client.get(address)
            fine = (200, 202, 302, 422) if address.startswith("/admin/tables/") else (200, 202, 302)
            fine = (410,) if address == "/vote/gone/" else fine
            assert answer.status_code in fine, f"{address} answers {answer.status_code} to {who}"
            if answer.get("Content-Type", "").startswith("text/html") and answer.status_code == 200:
                found = HREF.findall(answer.content.decode())
                waiting += [urldefrag(unescape(each))[0] for each in found if not each.startswith("/static/")]
        assert len(seen) > 10


if __name__ == "__main__":
    main()
