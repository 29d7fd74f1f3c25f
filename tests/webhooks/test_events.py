"""What happens on the site reaches the webhooks that want to know, and no other."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from accounts.rules import Role
from accounts.services import remove_self
from ballots.sealing import seal_closed
from elections.drafts.services import add_question
from elections.invitations import mailing, reminders
from elections.lifecycle import closing
from elections.lifecycle import services as lifecycle
from elections.managers import add_manager
from foundation.store.log import as_text
from parts.news import repository as posts
from parts.news import services as news
from parts.news.services import Written
from parts.webhooks.repository import NOTIFYING
from parts.webhooks.rules import TYPES
from results import repository as results
from tests.background import finish_background, unfinished
from tests.clock import stands_at

from .sites import Network, find, hooked, opened, ready, send


def test_an_election_from_its_opening_to_its_result(person):
    otto, network = person("Otto"), Network()
    hooked(otto)
    board = opened(otto)
    mailing.invite(otto, board)
    finish_background("mail voters")
    mailing.remind(otto, find("Board"))
    closing.close(otto, find("Board"))
    seal_closed()
    assert send(network) == 4
    told = {each.event["type"]: each.event["data"] for each in network.attempts}
    assert told.keys() == {"election.opened", "election.reminded", "election.closed", "election.sealed"}
    assert {name: data["election"]["name"] for name, data in told.items()} == dict.fromkeys(told, "Board")
    assert told["election.opened"]["election"]["url"].endswith("/election/Board/")
    assert told["election.opened"]["closes_at"] == board.no_voting_after
    assert told["election.sealed"]["result_url"].endswith("/election/Board/results/")
    assert len({each.id for each in network.attempts}) == 4
    assert not unfinished("tell webhooks")


def test_reminders_of_the_worker(person, monkeypatch):
    otto = person("Otto")
    hooked(otto, types=["election.reminded"])
    soon = as_text(datetime.now(UTC) + timedelta(hours=30))
    board = opened(otto, no_voting_after=soon)
    reminders.choose(otto, board, [72, 24])
    stands_at(monkeypatch, as_text(datetime.now(UTC) + timedelta(hours=7)))
    assert reminders.send_due_reminders() == 1
    network = Network()
    assert send(network, timedelta(hours=8)) == 1
    assert network.types == ["election.reminded"]


def test_posts_when_they_appear(person):
    olga, network = person("Olga", Role.OWNER), Network()
    hooked(olga)
    post = news.write(olga, Written("Who won", "Ada."))
    news.publish(olga, post)
    assert send(network) == 1
    assert network.attempts[0].event["data"]["post"]["title"] == "Who won"
    assert network.attempts[0].event["data"]["post"]["url"].endswith("/news/post/who-won/")
    again = posts.find(post.id)
    news.publish(olga, again, at=as_text(datetime.now(UTC) - timedelta(days=1)))  # another date is no news
    assert send(network) == 0


def test_a_post_for_later_waits_and_may_be_withdrawn(person):
    olga, network = person("Olga", Role.OWNER), Network()
    hooked(olga)
    tomorrow = as_text(datetime.now(UTC) + timedelta(days=1))
    post = news.write(olga, Written("Soon", "Ada."))
    news.publish(olga, post, at=tomorrow)
    assert send(network) == 0
    assert [task.due for task in news_tasks()] == [tomorrow]
    news.withdraw(olga, posts.find(post.id))
    (task,) = news_tasks()
    NOTIFYING.advance(task.subject)
    assert send(network) == 0
    assert not network.attempts
    news.publish(olga, posts.find(post.id))
    assert send(network) == 1


def test_a_post_whose_author_leaves_between_two_batches(person):
    ada = person("Ada", Role.ADMIN)
    news.publish(ada, news.write(ada, Written("Who won", "Ada.")))
    (task,) = news_tasks()
    assert not NOTIFYING.advance(task.subject, batches=1), "the site's endpoints were told, the author's are left"
    remove_self(ada)
    finish_background("remove person")
    assert NOTIFYING.advance(task.subject)


def news_tasks():
    return NOTIFYING.unfinished()


def test_an_announced_result_is_a_post(person):
    olga, network = person("Olga", Role.OWNER), Network()
    hooked(olga, types=["post.published"])
    opened(olga, results_public=True)
    closing.close(olga, find("Board"))
    seal_closed()
    news.announce(olga, results.find("Board"))
    assert send(network) == 1
    assert network.types == ["post.published"]


def test_an_election_with_several_questions_is_one_event_at_a_time(person):
    otto, network = person("Otto"), Network()
    hooked(otto, types=["election.opened", "election.closed", "election.sealed"])
    add_question(otto, ready(otto), "The budget", kind="yes-no")
    lifecycle.open_(otto, find("Board"), editable=False)
    closing.close(otto, find("Board"))
    seal_closed()
    assert send(network) == 3
    assert [each.event["data"]["election"]["name"] for each in network.attempts] == ["Board"] * 3


def test_only_those_who_run_it_and_the_site(person):
    olga, otto, mia, eve = person("Olga", Role.OWNER), person("Otto"), person("Mia"), person("Eve")
    ends = {"o": otto, "m": mia, "e": eve}
    for path, user in ends.items():
        hooked(user, url=f"https://hooks.example/{path}")
    hooked(olga, url="https://hooks.example/olga")
    hooked(olga, owner="", url="https://hooks.example/site")
    hooked(otto, url="https://hooks.example/closed", types=["election.closed"])
    add_manager(otto, ready(otto), "Mia")
    lifecycle.open_(otto, find("Board"), editable=False)
    network = Network()
    assert send(network) == 3
    assert {each.url.rpartition("/")[2] for each in network.attempts} == {"o", "m", "site"}
    assert len({each.id for each in network.attempts}) == 1  # one event, one id


def test_every_type_can_be_chosen():
    assert set(TYPES) == {
        "election.opened",
        "election.closed",
        "election.sealed",
        "election.reminded",
        "post.published",
    }


def test_a_site_without_webhooks_has_nothing_to_do(person):
    opened(person("Otto"))
    network = Network()
    assert send(network) == 0
    assert not unfinished("tell webhooks")
