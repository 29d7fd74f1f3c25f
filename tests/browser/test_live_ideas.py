"""A room writes ideas that become a vote, an election and a poll; and a ranking is asked before and after."""

from __future__ import annotations

from playwright.sync_api import Page, expect

from parts.questions.question import Kind, Question, Type

from .live_hall import judged, press, ranks, seated, shows
from .test_live import hall_of, send, store, voices  # noqa: F401 - fixtures

TRY = Question("What should the harbour get?", Kind.IDEAS, seconds=0)
WHERE = Question("Where do we sail?", Kind.RANKING, options=("Sea", "Lake", "River"), seconds=0, twice=True)


def puts(page: Page, *options: str) -> None:
    for option in options:
        page.locator(".candidate", has_text=option).locator("[data-act=next]").click()
    send(page, "It can still be changed.")


def test_ideas_of_a_room_become_an_election_and_a_poll(hall_of, voices):  # noqa: F811
    hall = hall_of(Type.POLL, TRY)
    host, wall = hall.host(), hall.screen()
    ada, ben = hall.phone("Ada"), hall.phone("Ben")
    cy, di = (seated(voices(), hall, name) for name in ("Cy", "Di"))

    # everybody writes on their phone
    press(host, "Start with the first question")
    for page, texts in ((ada, ("A crane", "More lamps")), (ben, ("a CRANE", "Free beer"))):
        for number, text in enumerate(texts, 1):
            page.get_by_label(f"Idea {number}").fill(text)
        send(page, "Your ideas are in.")
    for voice, text in ((cy, "Light at night"), (di, "A bench")):
        assert "Your ideas are in." in voice.sends(hall.path("play"), hall.path("answer"), text=text)
    expect(wall.locator(".answered")).to_contain_text("4 of 4 have answered")
    assert judged(ada, "light") == []

    # the host merges two and leaves one out, while the room watches
    press(host, "Stop collecting ideas")
    expect(wall.locator(".idea")).to_have_count(5)
    expect(wall.locator(".idea", has_text="crane")).to_contain_text("written 2 times")
    expect(ben.locator(".idea", has_text="Free beer")).to_be_visible()
    host.get_by_role("link", name="Sort the ideas").click()
    for text in ("More lamps", "Light at night"):
        host.get_by_label(f"Merge: {text}", exact=True).check()
    press(host, "Merge as …")
    host.get_by_label("Change the wording").fill("Lamps at night")
    press(host, "Merge")
    expect(wall.locator(".idea", has_text="Lamps at night")).to_contain_text("More lamps")
    host.locator(".sort-list li", has_text="Free beer").get_by_role("button", name="Leave out").click()
    expect(host.locator("main")).to_contain_text("Left out")
    expect(wall.locator(".idea")).to_have_count(3)
    expect(ben.locator(".idea")).to_have_count(3)
    assert judged(host, "dark") + judged(wall, "light") == []

    # all rank what is left, and the count is shown as a race
    press(host, "Open the vote")
    expect(ada.locator(".candidate")).to_have_count(3)
    boxes = [ada.locator(".candidate", has_text=text).locator("[name^=rank-]") for text in ("amps", "bench")]
    places = [int(box.get_attribute("name").removeprefix("rank-")) for box in boxes]
    puts(ada, "amps", "bench")
    puts(ben, "crane", "bench")
    ranks(cy, hall, "vote", *places)
    ranks(di, hall, "vote", *places)
    press(host, "Close the voting")
    press(host, "Reveal the results")
    shows(wall, "Lamps at night")
    shows(wall, "wins")
    expect(wall.locator(".result-bars")).not_to_have_count(0)
    shows(ada, "What 4 people wrote")
    assert judged(ada, "light") == []

    # one click makes an election of it, another one a poll
    press(host, "Draft election")
    expect(host.locator(".hall-says")).to_contain_text(f"The draft election “{TRY.title}” has been created.")
    press(host, "Quick poll")
    expect(host.locator(".hall-says")).to_contain_text(f"The poll “{TRY.title}” is open.")
    made = host.locator("section", has=host.get_by_role("heading", name="Follow-ups"))
    for what in ("Election", "Poll"):
        host.goto(hall.path("onward") + "1/")
        if what == "Election":
            assert judged(host, "light") == []
        made.locator("li", has_text=what).get_by_role("link").click()
        if what == "Election":
            host.get_by_role("link", name="Candidates", exact=True).click()
        for option in ("Lamps at night", "A bench"):
            expect(host.locator("main")).to_contain_text(option)
        expect(host.locator("main")).not_to_contain_text("Free beer")


def test_a_ranking_before_and_after(hall_of, voices):  # noqa: F811
    hall = hall_of(Type.POLL, WHERE)
    host, wall = hall.host(), hall.screen()
    ada, ben = hall.phone("Ada"), hall.phone("Ben")
    cy, di = (seated(voices(), hall, name) for name in ("Cy", "Di"))
    press(host, "Start with the first question")

    # before
    puts(ada, "Sea")
    puts(ben, "Sea", "Lake")
    ranks(cy, hall, "answer", 0, 1)
    ranks(di, hall, "answer", 1)
    press(host, "Close the question")
    press(host, "Reveal the results")
    shows(wall, "Sea")

    # after: the same once more, and nothing of the first time is in the form
    press(host, "Ask again and compare")
    expect(ada.locator(".candidate")).to_have_count(3)
    puts(ada, "Lake", "Sea")
    puts(ben, "Sea", "Lake")
    ranks(cy, hall, "answer", 1)
    ranks(di, hall, "answer", 1)
    press(host, "Close the question")
    press(host, "Reveal the results")

    # who moved where as a picture and as a table, and how close it was each time
    for page in (wall, ada):
        expect(page.locator("svg.sankey")).to_be_visible()
        expect(page.locator(".moved-time").first).to_contain_text("Sea")
        expect(page.locator(".moved-time").last).to_contain_text("Lake")
        expect(page.locator(".moved-time .hint")).to_have_count(2)
        for hint in page.locator(".moved-time .hint").all_inner_texts():
            assert hint.strip()
    ada.get_by_text("Who moved where, as a table").click()
    rows = [row.split("\t") for row in ada.locator(".moved-ways tbody tr").all_inner_texts()]
    assert [[each.strip("\u2068\u2069 ") for each in row] for row in rows] == [
        ["Sea", "Sea", "1"],
        ["Sea", "Lake", "2"],
        ["Lake", "Lake", "1"],
    ]
    assert judged(wall, "light") + judged(ada, "dark") == []
