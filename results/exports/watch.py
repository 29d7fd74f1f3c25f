"""Watches from outside whether a site serves everybody the same, known code. Needs only Python 3.8 or later.

    python3 -I watch.py https://vote.example.net/            twenty visits at random times within a day
    python3 -I watch.py https://vote.example.net/ --once     every page as every kind of client, now
    python3 -I watch.py checkpoints https://vote.example.net/ --state FILE      whether its log only grows (see below)

The site lists its scripts and stylesheets with their digests (trust/code.json). This program visits pages as various
browsers, phones and programs do, with and without cookies, and compares what each of them is given with that list, and
the list with the one it saw first. Better, give it a list that did not come from the site just now:

    --code FILE        the list, as published with the release or saved earlier
    --digest HEX       its SHA-256, from the nightly mail to the site's auditors
    --page URL         another page to visit, for example a ballot; can be given several times
    --cookie TEXT      sent with every request, for pages that need a sign-in: name=value, from your browser
    --times N --hours H --pages N    how many visits, within how many hours, to how many of the pages that are linked

The first difference is named in a line that begins with NO, and the exit code is 1. It is 0 if there was none, and 2 if
the site could not be reached. A new release changes the list too: compare the new digest with the release's, and start
again. What it cannot see: what the site sends to others but never to it.

With `checkpoints` it keeps the last public checkpoint of the site's log in FILE, and at the next look asks for the
digests of everything since: they must lead from the one to the other. So whoever runs the site cannot change, remove or
add anything in the past between two looks. Run it every hour or day, on a computer that they cannot reach.
"""

import argparse
import gzip
import hashlib
import json
import random
import re
import sys
import time
import zlib
from base64 import b64encode
from html.parser import HTMLParser
from http.client import HTTPException
from http.cookiejar import CookieJar
from pathlib import Path
from urllib.error import HTTPError
from urllib.parse import urldefrag, urljoin, urlsplit
from urllib.request import HTTPCookieProcessor, Request, build_opener

SECONDS = 20
CLIENTS = {  # who asks: the headers that tell clients apart, and whether cookies are kept from one visit to the next
    "Firefox on Linux": ("(X11; Linux x86_64; rv:143.0) Gecko/20100101 Firefox/143.0", "en-GB,en;q=0.5", True),
    "Chrome on Windows": (
        "(Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Safari/537.36",
        "de-DE,de;q=0.9,en;q=0.8",
        True,
    ),
    "Safari on an iPhone": (
        "(iPhone; CPU iPhone OS 18_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.6 Safari/604.1",
        "de-CH,de;q=0.9",
        False,
    ),
    "Chrome on Android": (
        "(Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Mobile Safari/537.36",
        "fr-FR,fr;q=0.9,en;q=0.7",
        False,
    ),
    "a search engine": ("(compatible; Googlebot/2.1; +http://www.google.com/bot.html)", "", False),
    "an unnamed program": ("", "", False),
}
POLICY = {"default-src": "'none'", "script-src": "'self'", "style-src": "'self'", "base-uri": "'none'"}
CODE = re.compile(r"\.(js|css)$")
COLOURS = re.compile(r"site/colours/[0-9a-f]{6}-(?P<digest>[0-9a-f]{16})\.css$")
ONLY_COLOURS = re.compile(rb"(@layer tokens|:root|@supports|--[a-z-]+:|light-dark|color: |#[0-9a-f]{3,6}|[\s{}();,])*")


class Different(Exception):
    """Something is not as it should be; the message says what."""


class Uneven(Different):
    """Two clients did not get the same page."""


class Unreachable(Exception):
    """The site did not answer."""


class Client:
    """One kind of client, with its own cookies."""

    def __init__(self, name, cookie=""):
        self.name = name
        system, language, keeps = CLIENTS[name]
        agent = f"Mozilla/5.0 {system}".strip()
        self.headers = {"User-Agent": agent, "Accept-Language": language, "Cookie": cookie, "Accept-Encoding": "gzip"}
        self.opener = build_opener(*([HTTPCookieProcessor(CookieJar())] if keeps else []))

    def get(self, address):
        """What it is given: status, headers, content, and the address after redirects."""
        headers = {name: value for name, value in self.headers.items() if value}
        request = Request(address, headers=headers)  # noqa: S310 - only addresses of the site
        try:
            with self.opener.open(request, timeout=SECONDS) as answer:
                status, headers, content, address = answer.status, answer.headers, answer.read(), answer.url
            packed = headers.get("Content-Encoding") == "gzip"
            return status, headers, gzip.decompress(content) if packed else content, address
        except HTTPError as error:
            return error.code, error.headers, b"", address
        except (OSError, HTTPException, EOFError, zlib.error) as error:
            raise Unreachable(f"{address}: {error}") from None


class Page(HTMLParser):
    """What a page loads, with the digests its tags give; the pages it links to; and what it must not have."""

    def __init__(self, address, text):
        super().__init__()
        self.address, self.loads, self.links, self.faults = address, {}, set(), []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        values = {name: value or "" for name, value in attributes}
        is_code = tag == "script" and not values.get("type", "").startswith("application/")
        is_style = tag == "link" and "stylesheet" in values.get("rel", "")
        if (is_code and "src" not in values) or tag in ("base", "object", "embed"):
            self.faults.append(f"a <{tag}> of its own")
        self.faults += [f"a handler {name}" for name in values if name.startswith("on")]
        self.faults += [f"a script in {name}" for name in values if values[name].lower().startswith("javascript:")]
        loading = {"src": is_code, "href": is_style, "data-script": True, "data-program": True}  # the last two later
        for name in filter(loading.get, values):
            digest = values.get("integrity", values.get("data-integrity", ""))
            self.loads[urljoin(self.address, values[name])] = digest
        if tag == "a" and "href" in values:
            self.links.add(urldefrag(urljoin(self.address, values["href"]))[0])


def digest_of(content):
    return "sha384-" + b64encode(hashlib.sha384(content).digest()).decode()


class Watch:
    def __init__(self, site, known=None, digest="", cookie="", choose=None):
        self.site, self.known, self.digest = site.rstrip("/") + "/", known, digest
        self.choose = choose or random.SystemRandom()
        self.clients = [Client(name, cookie) for name in CLIENTS]
        self.checked = 0

    def check_list(self, client):
        """The list itself: what was expected, or what was seen first."""
        status, _headers, content, _address = client.get(self.site + "trust/code.json")
        if status != 200:
            raise Different(f"{client.name} is not given the list of files: status {status}")
        found = hashlib.sha256(content).hexdigest()
        if self.digest and found != self.digest:
            raise Different(f"the list of files given to {client.name} has the digest {found}, not {self.digest}")
        listed = json.loads(content)
        if self.known is None:
            self.known = listed
            print("ok  ", f"{len(listed)} files are listed; the digest of the list is {found}")
        for name in sorted({*listed, *self.known}):
            if listed.get(name) != self.known.get(name):
                how = "missing from" if name not in listed else "modified in" if name in self.known else "added to"
                raise Different(f"{name} is {how} the list of files given to {client.name}")

    def page(self, client, address):
        """The page as this client sees it; none if it is no page of the site."""
        status, headers, content, address = client.get(address)
        if status != 200 or not address.startswith(self.site) or "text/html" not in headers.get("Content-Type", ""):
            return None
        page = Page(address, content.decode("utf-8", "replace"))
        parts = (part.split(None, 1) for part in headers.get("Content-Security-Policy", "").split(";"))
        policy = dict(part for part in parts if len(part) == 2)
        faults = page.faults + [f"no policy {name} {need}" for name, need in POLICY.items() if policy.get(name) != need]
        if faults:
            raise Different(f"{address}, as {client.name} sees it, has {faults[0]}")
        return page

    def check_file(self, client, address, integrity, where):
        """A file that a page loads: in the list, and served as listed. The site's colours are nothing but colours."""
        told = f"{address}, which {where} loads for {client.name},"
        name = address[len(self.site) :] if address.startswith(self.site) else ""
        colours, expected = COLOURS.fullmatch(name), self.known.get(name[len("static/") :])
        if not colours and expected is None:
            raise Different(f"{told} is added: it is not in the list of files")
        status, _headers, content, _address = client.get(address)
        found = digest_of(content)
        if status != 200:
            raise Different(f"{told} is missing: status {status}")
        if colours and not (
            hashlib.sha256(content).hexdigest().startswith(colours["digest"]) and ONLY_COLOURS.fullmatch(content)
        ):
            raise Different(f"{told} sets more than colours")
        if not colours and found != expected:
            raise Different(f"{told} is modified: it has the digest {found}, not {expected}")
        if integrity != found:
            raise Different(f"{told} is loaded without its digest")
        self.checked += 1

    def compare(self, address, clients):
        """One page as several clients see it: each file as listed, and the same files for all of them."""
        pages = {client: self.page(client, address) for client in clients}
        for client, page in pages.items():
            for file, integrity in sorted(page.loads.items()) if page else ():
                self.check_file(client, file, integrity, address)
        first, *others = clients
        for other in others:
            one, two = (set(pages[each].loads) if pages[each] else set() for each in (first, other))
            if one != two:
                file, lacks = min(one ^ two), other if min(one ^ two) in one else first
                raise Uneven(f"{file} is missing from {address}, as {lacks.name} sees it")
        return next((page for page in pages.values() if page), None)

    def visit(self, address, clients):
        for client in clients:
            self.check_list(client)
        try:
            return self.compare(address, clients)
        except Uneven:  # the page may have changed between two clients: it counts if it is so again
            return self.compare(address, clients)

    def pages(self, extra, most):
        """Pages of the site, found by following links as the first client, and those that were asked for."""
        found, queue = list(extra), [self.site]
        while queue and len(found) < most + len(extra):
            address = queue.pop(0)
            if address in found or not (page := self.page(self.clients[0], address)):
                continue
            found.append(address)
            ours = sorted(link for link in page.links if link.startswith(self.site) and not urlsplit(link).query)
            queue += [link for link in ours if link not in found and not CODE.search(link)]
        return found

    def once(self, extra, most):
        self.check_list(self.clients[0])
        for address in self.pages(extra, most):
            self.visit(address, self.clients)

    def some_time(self, extra, most, times, hours, sleep):
        """Visits at random moments, each to one page as two clients that nobody can predict."""
        begun, moments = 0.0, sorted(self.choose.uniform(0, hours * 3600) for _ in range(times))
        for moment in moments:
            sleep(moment - begun)
            begun = moment
            try:
                self.check_list(self.choose.choice(self.clients))
                address = self.choose.choice(self.pages(extra, most))
                self.visit(address, self.choose.sample(self.clients, 2))
            except Unreachable as error:
                print("??  ", error)


class Log:
    """The public checkpoints of a site's log, each continuing the one before it."""

    def __init__(self, site):
        self.site, self.client = site.rstrip("/") + "/", Client("an unnamed program")

    def get(self, path, *names):
        """What the site's API answers under these names; none if it has no such checkpoint."""
        address = f"{self.site}api/v1/checkpoints{path}"
        status, _headers, content, _address = self.client.get(address)
        try:
            found = json.loads(content) if status == 200 else {}
            return None if status == 404 else [found[name] for name in names]
        except (ValueError, KeyError, TypeError):
            raise Unreachable(f"{address}: not what a site answers (status {status})") from None

    def point(self, number):
        """The checkpoint over an event; its hash must be made of the digests of all that it covers."""
        found = self.get(f"/{number}", "first", "number", "hash", "sealed_by")
        if not found:
            return None
        first, last, named, sealed_by = found
        previous, digests = self.get(f"/{last}/digests", "previous", "digests") or ("", [])
        chain = bytes.fromhex(previous)
        for digest in digests:
            chain = sha256(chain + bytes.fromhex(digest))
        dated = sha256(chain + sha256(f"plenum: sealed by\n{sealed_by}".encode())) if sealed_by else chain
        if dated.hex() != named or not 0 < len(digests) == last + 1 - first:
            raise Different(f"the digests up to event {last} do not lead to the hash of its checkpoint")
        known = {"first": first, "number": last, "hash": named, "sealed_by": sealed_by}
        return {**known, "previous": previous, "chain": chain.hex()}

    def follow(self, kept):
        """The newest checkpoint, if everything since the one that was kept continues it."""
        if kept is None:
            (newest,) = self.get("?limit=1", "items") or ([],)
            return self.point(newest[0]["number"]) if newest else None
        if (now := self.point(kept["number"])) != kept:
            has = f"is {now['hash']} now, over events {now['first']} to {now['number']}" if now else "is gone"
            raise Different(f"the checkpoint {kept['number']}:{kept['hash']} {has}: the past was changed")
        while following := self.point(kept["number"] + 1):
            if following["first"] != kept["number"] + 1 or following["previous"] != kept["chain"]:
                raise Different(f"the checkpoint at event {following['number']} does not continue {kept['number']}")
            kept = following
        return kept


def sha256(content):
    return hashlib.sha256(content).digest()


def watch_checkpoints(arguments):
    parser = argparse.ArgumentParser(prog="watch checkpoints", description="Whether a site's log only grows.")
    parser.add_argument("site")
    parser.add_argument("--state", required=True, type=Path, metavar="FILE", help="where the last checkpoint is kept")
    asked = parser.parse_args(arguments)
    log = Log(asked.site)
    try:
        state = json.loads(asked.state.read_text()) if asked.state.exists() else {"site": log.site, "checkpoint": None}
        site, before = state["site"], state["checkpoint"]
    except (OSError, ValueError, KeyError, TypeError):
        parser.error(f"{asked.state} cannot be read, or this program has not written it.")
    if site != log.site:
        parser.error(f"{asked.state} is about {site}. Give each site a file of its own.")
    try:
        newest = log.follow(before)
    except Different as error:
        print("NO  ", f"{error}. Keep {asked.state}, and ask for an explanation.")
        return 1
    except Unreachable as error:
        print("??  ", error)
        return 2
    except (ValueError, TypeError, KeyError, IndexError):
        print("??  ", f"{log.site} answers with something else than checkpoints.")
        return 2
    if newest is None:
        print("??   No checkpoint is public yet.")
        return 2
    try:
        written = asked.state.with_name(asked.state.name + ".new")  # so that a full disk loses nothing
        written.write_text(json.dumps({"site": log.site, "checkpoint": newest}, indent=1))
        written.replace(asked.state)
    except OSError as error:
        parser.error(f"{asked.state} cannot be written: {error.strerror}.")
    since = (
        f"Everything since event {before['number']} continues what was there" if before else "This is the first look"
    )
    print("YES ", f"{since}; checkpoint {newest['number']}:{newest['hash']}, sealed by {newest['sealed_by']}.")
    return 0


def main(arguments, sleep=time.sleep, choose=None):
    if arguments[:1] == ["checkpoints"]:
        return watch_checkpoints(arguments[1:])
    parser = argparse.ArgumentParser(prog="watch", description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("site")
    parser.add_argument("--once", action="store_true")
    for name, kind, usual in (("times", int, 20), ("hours", float, 24.0), ("pages", int, 12)):
        parser.add_argument(f"--{name}", type=kind, default=usual)
    for name in ("code", "digest", "cookie"):
        parser.add_argument(f"--{name}", default="")
    parser.add_argument("--page", action="append", default=[])
    asked = parser.parse_args(arguments)
    try:
        known = json.loads(Path(asked.code).read_text()) if asked.code else None
    except (OSError, ValueError):
        parser.error(f"{asked.code} is not a list of files that can be read.")
    watch = Watch(asked.site, known, asked.digest, asked.cookie, choose)
    try:
        if asked.once:
            watch.once(asked.page, asked.pages)
        else:
            watch.some_time(asked.page, asked.pages, asked.times, asked.hours, sleep)
    except Different as error:
        print("NO  ", error)
        return 1
    except Unreachable as error:
        print("??  ", error)
    if not watch.checked:
        print("??   Nothing could be checked.")
        return 2
    print("YES ", f"{watch.checked} files were compared; everybody is served the same, known code.")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
