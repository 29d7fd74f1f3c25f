"""Whatever people type is text, on every page. `make fuzz` looks longer (tests/fuzz/markup.py)."""

from __future__ import annotations

from html import unescape

import pytest

from tests.fuzz.browsing import Window, is_act, window
from tests.fuzz.reading import read
from tests.fuzz.sweep import Sweep, as_answer, forms_on_no_page, swept

# Fields whose text is on no page, and why.
SHOWN_NOWHERE = {
    "forgotten: name_or_email": "the answer is the same for every name",
    "let_in_by_letter: code": "a code that is looked up",
    "print_letters: sender": "on the letters of one batch, which are shown once",
    "join: code": "nothing is left of it but letters and digits",
    "poll: website": "a trap for robots",
}
# Forms whose fields are on no page all at once, and why.
ON_NO_PAGE = {
    "operations.audit.forms.FilterForm": "each table has some of its fields",
    "operations.audit.forms.ItemForm": "links have its fields, as markup here, too",
    "parts.help_desk.views.AddForm": "voter groups are a field of it where there are some",
}
# Pages that are opened with all their scripts here: screens that scripts change, and those that ask by themselves.
OPENED = {"ballot", "follow", "play", "host_game", "remote", "screen", "qa", "live", "poll_results", "site_page"}
FORM = "/skills/new/"


@pytest.mark.timeout(900)  # a thousand pages
def test_what_people_type_never_becomes_markup(site, static_files, browser, subtests):
    page = browser.new_page()
    with swept(page) as sweep:
        sweep.look()
        sweep.act()
        sweep.ask()
        sweep.fill()
        sweep.look()
        sweep.read_mails()
        with subtests.test("no element and no attribute that we did not make"):
            assert sweep.wrong == []
        with subtests.test("what was typed into a field is shown somewhere"):
            assert sweep.shown_nowhere() == set(SHOWN_NOWHERE)
        with subtests.test("every form is on a page that was looked at"):
            assert forms_on_no_page(sweep.forms) == set(ON_NO_PAGE)
        with window(browser) as opened:
            with subtests.test("a page that is open asks for nothing that it should not"):
                looks = {look.page: look for look in sweep.looks if look.page in OPENED}
                assert set(looks) == OPENED
                for look in looks.values():
                    assert opened.open(sweep.site.browsers[look.who], look.address) == [], look
            with subtests.test("all this notices a text that is not escaped"):
                assert_noticed(sweep, opened)
    page.close()


def assert_noticed(sweep: Sweep, opened: Window) -> None:
    """The names of categories as they once stood in a form, where they made people do what others wanted. htmx now
    leaves alone what is in a hint, and would act on it anywhere else."""
    owner = sweep.site.browsers["owner"]
    form = owner.get(FORM).content.decode()
    hint = form[form.index("Existing categories: ") : form.index("</div>", form.index("Existing categories: "))]
    assert "&lt;i-zq" in hint
    hole = form.replace(hint, unescape(hint))
    (found,) = read(sweep.page, as_answer(hole))
    assert any("hx-get" in each for each in found.wrong)
    opened.planted[FORM] = hole.encode()
    assert opened.open(owner, FORM) != []
    assert not any(map(is_act, opened.asked))
    opened.planted[FORM] = hole.replace('class="hint"', "").encode()
    with opened.context.expect_event("request", lambda request: is_act(request.url)):
        opened.open(owner, FORM)
