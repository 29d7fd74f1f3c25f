"""The ETag of a page with a reader's own frame names everything that the frame depends on."""

from __future__ import annotations

from django.contrib.auth.models import AnonymousUser
from django.template import engines
from django.test import RequestFactory
from jinja2 import meta, nodes

from accounts.rules import Role
from accounts.sessions import SessionStore
from pages.http_cache import common_context, reader_frame
from tests.people import somebody

OF_THE_PAGE = {"plain"}  # set by the page's own template
OF_THE_ROLE = {"is_authenticated", "is_owner", "can_look", "can_manage_people", "can_run_elections"}


def parsed_frame() -> list[nodes.Template]:
    """base.html and all that it includes, as compiled."""
    environment, found, waiting = engines["jinja2"].env.active(), {}, ["base.html"]
    while waiting:
        name = waiting.pop()
        if name not in found:
            found[name] = environment.parse(environment.loader.get_source(environment, name)[0], name)
            waiting += filter(None, meta.find_referenced_templates(found[name]))
    return list(found.values())


def request_of(user):
    request = RequestFactory().get("/")
    request.user, request.session, request.META["CSRF_COOKIE"] = user, SessionStore(), "x" * 32
    return request


def test_every_name_that_the_frame_uses_is_in_the_etag(site):
    used = set().union(*map(meta.find_undeclared_variables, parsed_frame()))
    request = request_of(AnonymousUser())
    named = reader_frame(request, common_context(request) | {"messages": []}).keys()
    assert used - engines["jinja2"].env.active().globals.keys() - OF_THE_PAGE <= named


def test_what_it_says_of_the_reader_is_in_the_etag(site):
    """The name, whether they have a way to sign in, and what follows from the role."""
    attributes = {each.attr for tree in parsed_frame() for each in tree.find_all(nodes.Getattr) if is_of_user(each)}
    assert attributes <= OF_THE_ROLE | {"name", "has_no_way_in"}
    for role in Role:
        first, second = somebody("Ada", role), somebody("Bo", role)
        assert {getattr(first, each) == getattr(second, each) for each in OF_THE_ROLE} == {True}
    frames = []
    for user in (somebody("Ada"), somebody("Bo"), somebody("Ada", Role.ADMIN)):
        request = request_of(user)
        frames.append(reader_frame(request, common_context(request) | {"messages": []})["user"])
    assert len(set(frames)) == len(frames)


def is_of_user(node: nodes.Getattr) -> bool:
    return isinstance(node.node, nodes.Name) and node.node.name == "user"
