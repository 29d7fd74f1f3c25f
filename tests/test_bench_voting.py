"""The part `voting` of the measurements walks, counts and says what it found. Nothing here depends on speed."""

from __future__ import annotations

import io
import json
import shutil
import subprocess
from contextlib import contextmanager, redirect_stdout
from pathlib import Path
from types import SimpleNamespace

import pytest
from django.conf import settings

from bench import parts, voting
from bench.ballots import day as days
from bench.ballots.sustained import NotWhatWasSaid
from bench.report import Report
from bench.stage import prepare
from bench.voting import closing, disk, growth, pages, walking
from bench.voting import site as sites
from bench.voting.revisions import NoSuchRevision, checked_out
from bench.voting.walking import PAGES, RESULTS, WAY, NotAsExpected, Page, Turn, closed, looking, open_

VOTERS = 12
FEW = 0.02  # of the usual number, in a turn


def test_it_is_a_part():
    assert parts.chosen(["voting"]) == {"voting": voting}


# --- a walk ---


@pytest.fixture
def here(monkeypatch):
    """Sites are made and checked in this process, where Django has started."""

    def act(root, folder, act, **words):
        monkeypatch.setattr("sys.stdin", io.StringIO(json.dumps({"act": act, **words})))
        with redirect_stdout(io.StringIO()) as said:
            prepare.main(str(folder))
        return json.loads(said.getvalue())

    monkeypatch.setattr(sites, "_act", act)
    monkeypatch.setattr(prepare, "start_django", lambda folder: None)
    for name in ("CANDIDATES", "NAME"):
        monkeypatch.setattr(days, name, getattr(days, name))  # so that what a site sets is undone


@pytest.mark.slow
def test_a_walk_on_a_small_site(tmp_path, static_files, here, monkeypatch):
    folder = tmp_path / "site"
    sites.make(voting.ROOT, folder, sites.Size(VOTERS, elections=3, sealed=20, signed_in=VOTERS))
    (folder / "static").symlink_to(settings.STATIC_ROOT)
    with sites.served(voting.ROOT, folder, {"SECRET_KEY": settings.SECRET_KEY}) as site:
        for page in PAGES:
            turn = closed(site, page, FEW)
            assert min(turn.rate, turn.processor, turn.p50) > 0, page
        again = walking.known(site)
        assert again is None or closed(site, again, FEW).rate > 0
        assert open_(site, WAY, 20.0, 0.2).p99 > 0
        assert site.check() == len(site.voted) == VOTERS // 2
        with pytest.raises(NotAsExpected, match="a result that is none: 2 of 2 were answered otherwise, such as 404"):
            closed(site, Page("none", "a result that is none", 2, looking(RESULTS.replace("year", "week"))))
        site.acknowledged += 1
        with pytest.raises(NotWhatWasSaid):
            site.check()
        monkeypatch.setattr(closing, "WARM", 1)
        seen = closing.seen(site)
        assert 0 < seen.closed <= seen.closer
        assert seen.other > 0, "others may have it before whoever closed it is answered"


# --- all of it, without a server ---


@pytest.fixture
def nobody_there(monkeypatch):
    """Sites that are neither made nor served; answers whose pages were asked for, in their order."""
    asked = []

    @contextmanager
    def served(root, folder, own=sites.NO_MORE):
        yield SimpleNamespace(root=root, acknowledged=0, check=lambda: 0)

    def turn(site, page, *words):
        asked.append((site.root.name, page.key))
        return Turn(1.0, 1.0, 1.0, 1.0)

    monkeypatch.setattr(sites, "make", lambda root, folder, size: folder.mkdir(parents=True))
    monkeypatch.setattr(sites, "served", served)
    for module in (pages, disk):
        monkeypatch.setattr(module, "closed", turn)
    monkeypatch.setattr(pages, "open_", turn)
    monkeypatch.setattr(pages, "known", lambda site: None)
    monkeypatch.setattr(closing, "seen", lambda site: closing.Seen(0.1, 0.1, 0.1))
    monkeypatch.setattr(voting, "checked_out", lambda revision, to: Path(f"/{revision}"))
    return asked


def test_an_earlier_revision_takes_turns_with_this_one(report, nobody_there, monkeypatch):
    monkeypatch.setenv("BEFORE", "earlier")
    voting.measure(report, scale=0.001)
    here = voting.ROOT.name
    assert nobody_there[:4] == [(here, "bare"), ("earlier", "bare"), (here, "trivial"), ("earlier", "trivial")]
    assert nobody_there.count(("earlier", "receipt")) == nobody_there.count((here, "receipt")) - 3 * 2 * 2
    ratios = {name for name in report.figures if name.endswith("ratio_to_before")}
    assert len(ratios) == 2 * len(PAGES) + 2 * len(closing.SIZES) + (shutil.which("cc") is not None)
    assert [each.name for each in report.build.iterdir()] == ["voting.md"]


def test_one_step_alone(report, nobody_there, monkeypatch):
    monkeypatch.setenv("STEP", "closing")
    voting.measure(report, scale=0.001)
    assert nobody_there == []
    assert "voting.closing.50.closer.seconds" in report.figures


# --- another revision ---


@pytest.fixture
def repository(tmp_path):
    """In which a file was changed since its first revision."""
    root = tmp_path / "repository"
    root.mkdir()
    for number in (1, 2):
        (root / "said.txt").write_text(f"as of {number}")
        for words in ("init -q", "add said.txt", "-c user.name=A -c user.email=a@example.org commit -qm changed"):
            subprocess.run(["git", *words.split()], cwd=root, check=True)
    return root


def test_a_revision_is_laid_out_with_what_makes_and_serves_a_site(repository, tmp_path):
    before = checked_out("HEAD~1", tmp_path / "before", repository)
    assert (before / "said.txt").read_text() == "as of 1"
    assert {each.name for each in (before / "bench/stage").iterdir()} >= {"__init__.py", "prepare.py", "wsgi.py"}


def test_a_revision_that_is_none_is_named(repository, tmp_path):
    with pytest.raises(NoSuchRevision, match="BEFORE=nowhere cannot be measured"):
        checked_out("nowhere", tmp_path / "before", repository)


# --- a slow disk ---


@pytest.mark.skipif(shutil.which("cc") is None, reason="there is no C compiler")
def test_a_sync_of_the_slow_disk_takes_its_time(tmp_path):
    assert disk.sync_of(disk.slow_disk("cc", tmp_path)) >= disk.SYNC / 1000


def test_without_a_compiler_it_is_left_out_and_said(report, monkeypatch):
    monkeypatch.setattr(shutil, "which", lambda name: None)
    disk.measure(report, {}, Path("nowhere"), 1.0)
    assert "Left out: there is no C compiler" in report.output.getvalue()


# --- what is said of it ---


@pytest.fixture
def report(tmp_path):
    made = Report("voting", tmp_path, io.StringIO())
    voting.begin(made)
    return made


def turns(*names, **milliseconds):
    """One of each page: a millisecond of the processor unless it is said otherwise, and twice that before."""
    found = {}
    for factor, name in enumerate(names, 1):
        for page in PAGES:
            taken = factor * milliseconds.get(page.key, 1.0)
            found[name, page.key] = (Turn(1000 / taken, taken, taken, taken),)
    return found


def pasted(report):
    return (report.build / "voting.md").read_text()


def test_every_goal_of_a_page_is_judged(report):
    pages._report(report, list(PAGES), turns("Plenum", "before", election=2.0, receipt=3.0, cast=2.0))
    goals = {name: figure for name, figure in report.figures.items() if name.endswith("goal_met")}
    assert goals == {
        "voting.election.beside_trivial.goal_met": True,
        "voting.receipt.beside_trivial.goal_met": False,
        "voting.results.beside_trivial.goal_met": True,
        "voting.cast_beside_form.goal_met": False,
        "voting.way.beside_before.goal_met": False,
        "voting.cast.beside_before.goal_met": True,
    }
    assert "| receipt | 333 | 3.00 ms | 3.00 | 167 | 6.00 ms | 2.00 |" in pasted(report)


def test_without_an_earlier_revision_nothing_is_said_of_it(report):
    pages._report(report, list(PAGES), turns("Plenum"))
    assert not [name for name in report.figures if "before" in name]
    assert "| receipt | 1,000 | 1.00 ms | 1.00 | - | - | - |" in pasted(report)


def test_a_result_that_is_seen_too_late_misses_its_goal(report):
    found = {"Plenum": [closing.Seen(0.01, 0.3, 0.5)], "before": [closing.Seen(0.01, 3.0, 3.0)]}
    closing._report(report, 10_000, 0.4, found)
    assert report.figures["voting.closing.10000.closer.goal_met"] is True
    assert report.figures["voting.closing.10000.other.goal_met"] is False
    assert report.figures["voting.closing.10000.closer.ratio_to_before"] == 10
    assert "| before | 3.00 s | 3.00 s |" in pasted(report)


def test_growth_is_judged_where_a_page_has_no_more_to_say(report):
    growth._report(report, "voters", growth.BASE, turns("voters", "base"))
    growth._report(report, "candidates", growth.BASE, turns("base", "candidates"))
    assert report.figures["voting.growth.voters.way.ratio_to_fewer"] == 2
    assert report.figures["voting.growth.voters.way.goal_met"] is True
    assert report.figures["voting.growth.candidates.way.ratio_to_fewer"] == 0.5
    assert "voting.growth.candidates.way.goal_met" not in report.figures
