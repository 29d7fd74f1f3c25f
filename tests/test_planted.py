"""Faults planted one at a time in a copy of the tree: for each, a test of `make test` fails, and for certain.

Each is one line that decides something nobody must get wrong. When such a line changes, change it here too: the fault
says what it must keep out, and the test, what keeps it out.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from config.settings import BASE_DIR

pytestmark = [pytest.mark.deep, pytest.mark.seconds(3), pytest.mark.timeout(1200)]  # seconds: each

OURS = ("CI", "PYTEST", "PYTHON", "DJANGO", "COMPILED_TEMPLATES")  # what this process told those that it starts
LEFT_OUT = shutil.ignore_patterns(".*", "build", "data", "docs", "deploy", "browser", "golden")


class Fault(NamedTuple):
    """What stands once in a file, what is put in its place, and the test that notices."""

    what: str
    file: str
    before: str
    after: str
    test: str


FAULTS = [
    Fault(
        "the gate lets votes through after the close",
        "foundation/acts/gates.py",
        'reduce(and_, conditions, Equals("open", True))',
        'reduce(and_, conditions, Equals("open", True) | Equals("open", False))',
        "tests/races/test_voting.py::test_who_looked_before_the_close_is_too_late_after_it",
    ),
    Fault(
        "the clock closes nothing",
        "elections/rules.py",
        "if self.allow_vote and is_over(self, now):",
        "if self.allow_vote and not now:",
        "tests/ballots/test_services.py::test_the_closing_moment_itself_is_too_late",
    ),
    Fault(
        "two devices of one voter cast two ballots",
        "ballots/repository.py",
        'unchanged: Condition = Equals("voted", context.voted)',
        "unchanged: Condition = Exists()",
        "tests/races/test_voting.py::test_of_two_devices_that_cast_in_secret_the_first_counts",
    ),
    Fault(
        "the voter's name lies beside a secret ballot",
        "ballots/repository.py",
        '    if not context.election.secret_ballot:\n        fields |= {"voter_name"',
        '    if context.election:\n        fields |= {"voter_name"',
        "tests/ballots/test_services.py::test_a_secret_ballot_says_nothing_but_the_ranking_and_its_code",
    ),
    Fault(
        "the time of the cast lies in a secret ballot",
        "ballots/repository.py",
        'return {"rankings": ballot.rankings,',
        'return {"when": __import__("time").time_ns(), "rankings": ballot.rankings,',
        "tests/ballots/test_services.py::test_a_secret_ballot_says_nothing_but_the_ranking_and_its_code",
    ),
    Fault(
        "ballots are published as they lie",
        "ballots/external_sort.py",
        "        self._held.sort()\n        runs =",
        "        runs =",
        "tests/results/test_sealing.py::test_ballots_are_published_in_the_order_of_their_codes",
    ),
    Fault(
        "a tie is a win for both",
        "foundation/tally/condorcet.py",
        "[of(ayes, noes) if ayes > noes else 0",
        "[of(ayes, noes) if ayes >= noes else 0",
        "tests/tally/test_ranked_pairs.py::test_a_draw_is_neither_locked_nor_skipped",
    ),
    Fault(
        "equal winning votes are not told apart",
        "foundation/tally/condorcet.py",
        '"winning2": lambda ayes, noes: ayes * base + base - 1 - noes,',
        '"winning2": lambda ayes, noes: ayes * base,',
        "tests/tally/test_schulze.py::test_fewest_opposed_decides_between_equal_winning_votes",
    ),
    Fault(
        "every role may do everything",
        "accounts/access.py",
        "if not user.can(access.permission):",
        "if not user.can:",
        "tests/accounts/test_people.py::test_a_change_of_role_works_at_once",
    ),
    Fault(
        "everybody may do what is the organiser's",
        "foundation/acts/refusals.py",
        "if who not in self.rules[action].who:\n            raise",
        "if not self.rules[action].who:\n            raise",
        "tests/elections/test_services.py::test_a_stranger_may_nothing_and_a_manager_what_managers_may",
    ),
    Fault(
        "forms of other sites are taken",
        "config/settings.py",
        '    "config.middleware.FormTokens",\n',
        "",
        "tests/ballots/test_by_link.py::test_the_button_is_no_other_sites_to_press",
    ),
    Fault(
        "of two changes the first is lost",
        "foundation/acts/storage.py",
        "        when=unchanged(before),",
        "        when=None,",
        "tests/acts/test_versions.py::test_of_two_changes_of_the_same_version_one_happens",
    ),
    Fault(
        "a sealed result is written over",
        "results/repository.py",
        "**counted, **drawn}, when=Missing())",
        "**counted, **drawn})",
        "tests/races/test_voting.py::test_a_sealed_result_is_not_written_over",
    ),
    Fault(
        "strangers read the result of a closed circle",
        "results/access.py",
        "return election.results_public and election.stored_state",
        "return election.stored_state",
        "tests/results/test_share.py::test_what_is_not_shared_is_not_there",
    ),
    Fault(
        "a voting link works after it was replaced",
        "elections/invitations/voting_link.py",
        "    if mail is None:\n        sentence",
        "    if mail is None and entry is None:\n        sentence",
        "tests/ballots/test_by_link.py::test_the_invitation_sent_again_ends_the_earlier_link_and_its_pass",
    ),
    Fault(
        "no token grows too old",
        "foundation/acts/tokens.py",
        "cipher.decrypt_at_time(padded, seconds, int(time.time()))",
        "cipher.decrypt(padded)",
        "tests/acts/test_tokens.py::test_it_grows_old_where_that_matters",
    ),
    Fault(
        "the embedded store does not wait for the disk",
        "foundation/store/sqlite/writers.py",
        'connection.execute("PRAGMA synchronous = FULL")',
        'connection.execute("PRAGMA synchronous = OFF")',
        "tests/store/test_backup.py::test_of_what_cannot_be_loaded_nothing_is_there_and_writers_wait_for_the_disk_again",
    ),
    Fault(
        "the embedded store answers before the commit",
        "foundation/store/sqlite/writers.py",
        "                        write.perform(connection)\n",
        "                        write.perform(connection)\n                        write.finish(None)\n",
        "tests/store/test_numbered.py::test_nobody_is_answered_before_the_commit",
    ),
    Fault(
        "sign-in by email does not ask the index",
        "accounts/repository.py",
        '    for item in table().page(keys.users_by_email(email), limit=1).items:\n        yield item["name"]\n',
        "",
        "tests/accounts/test_pages.py::test_sign_in_by_email_finds_the_account_in_the_index",
    ),
    Fault(
        "the index knows an address in one spelling only",
        "foundation/store/keys/of_people.py",
        'users_by_email = index("{address}", "USER#{name}", part)',
        'users_by_email = index("{address}", "USER#{name}", as_it_is)',
        "tests/accounts/test_pages.py::test_sign_in_by_email_finds_the_account_in_the_index",
    ),
    Fault(
        "pages take text for HTML",
        "config/jinja.py",
        '{"autoescape": select_autoescape(disabled_extensions=["txt"], default=True)}',
        '{"autoescape": not select_autoescape}',
        "tests/config/test_jinja.py::test_pages_escape_and_the_text_of_a_mail_does_not",
    ),
    Fault(
        "a name in a picture is taken for HTML",
        "results/pictures/drawing.py",
        "conditional_escape(clean(child)) for child in children",
        "str(clean(child)) for child in children",
        "tests/results/test_pictures.py::test_names_cannot_break_out",
    ),
]


Run = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture(scope="module")
def copy(tmp_path_factory) -> Path:
    return Path(shutil.copytree(BASE_DIR, tmp_path_factory.mktemp("planted") / "plenum", ignore=LEFT_OUT))


@pytest.fixture(scope="module")
def run(copy) -> Run:
    """Runs tests of the copy, on the code of the copy; of those only that are in `make test`."""

    def run(*tests: str) -> subprocess.CompletedProcess[str]:
        alone = ["-p", "no:xdist", "-p", "no:cacheprovider", "-m", "not deep"]
        command = [sys.executable, "-m", "pytest", "-q", "-x", *alone, *tests]
        kept = {name: value for name, value in os.environ.items() if not name.startswith(OURS)}
        return subprocess.run(command, cwd=copy, env=kept, capture_output=True, text=True, check=False)

    return run


def test_without_a_fault_these_tests_pass(run):
    done = run(*dict.fromkeys(fault.test for fault in FAULTS))
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize("fault", [pytest.param(fault, id=fault.what) for fault in FAULTS])
def test_a_planted_fault_is_found(copy, run, fault):
    file = copy / fault.file
    true = file.read_text()
    assert true.count(fault.before) == 1, "the line has changed: say here what the fault looks like now"
    try:
        file.write_text(true.replace(fault.before, fault.after))
        done = run(fault.test)
    finally:
        file.write_text(true)
    assert done.returncode == pytest.ExitCode.TESTS_FAILED, done.stdout
    assert f"\nFAILED {fault.test}" in done.stdout, "it failed for another reason"
    assert "NameError" not in done.stdout
