"""A program: a site with the part in tests/parts/tiny has its page, its link, its job, its types and its operation,
and none of them while it is switched off.

Tests start it with the settings in tests/parts/settings.py.
"""

from __future__ import annotations

import django


def main() -> None:
    django.setup()
    from django.core.management import call_command
    from django.test import Client
    from django.test.utils import setup_test_environment

    from foundation.acts.storage import table
    from foundation.store.schema import SCHEMA
    from operations.upkeep.jobs import JOBS
    from tests.people import make_owner, sign_in

    setup_test_environment()
    call_command("collectstatic", verbosity=0, interactive=False)
    table().create()
    owner = sign_in(make_owner())
    assert 'href="/bell/"' in owner.get("/").content.decode()
    assert owner.post("/bell/").status_code == 302
    page = owner.get("/bell/").content.decode()
    assert "Rung 1 times" in page
    assert '<a href="/bell/" aria-current="page">' in page
    assert Client().get("/bell/").status_code == 302  # to sign in
    assert Client().get("/api/v1/bell").json() == {"rung": 1}
    assert "/bell" in Client().get("/api/v1/openapi.json").json()["paths"]
    assert "BellRung" in SCHEMA.events
    assert "bell" in {each.label for each in SCHEMA.items}
    (job,) = [each for each in JOBS if each.name == "silence"]
    assert job.work() == 1
    assert Client().get("/api/v1/bell").json() == {"rung": 0}

    assert "How often it was rung is kept." in owner.get("/admin/features/tiny/off/").content.decode()
    assert owner.post("/admin/features/tiny/off/").status_code == 302
    assert 'href="/bell/"' not in owner.get("/").content.decode()
    assert [owner.get("/bell/").status_code, Client().get("/api/v1/bell").status_code] == [404, 404]
    assert "/bell" not in Client().get("/api/v1/openapi.json").json()["paths"]
    assert owner.post("/admin/features/tiny/on/").status_code == 302
    assert owner.get("/bell/").status_code == 200


if __name__ == "__main__":
    main()
