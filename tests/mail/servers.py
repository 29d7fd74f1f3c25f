"""A mail server and a mailbox of our own on the loopback interface, which answer as a test says."""

from __future__ import annotations

import socket
import ssl
import threading
from contextlib import suppress
from pathlib import Path

DROP, HANG, DRIP = "drop the line", "say nothing", "a byte now and then"
USUAL = {"greeting": "220 here", "quit": "221 bye", "data": "354 go on", "dot": "250 2.0.0 taken as 4711"}


class LoopbackServer:
    """Talks to each connection in a thread of its own, until the test is over; encrypted from the first byte on, if it
    has a certificate."""

    def __init__(self, certificate: Path | None = None):
        self.certificate = certificate
        self.connections = 0
        self.over = threading.Event()
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.port = self._socket.getsockname()[1]
        self._lines: list[socket.socket] = []
        self._threads = [threading.Thread(target=self._accept, daemon=True)]
        self._threads[0].start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.over.set()
        for each in (self._socket, *self._lines):
            with suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)
            each.close()
        for thread in self._threads:
            thread.join()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                line, _ = self._socket.accept()
                self.connections += 1
                self._lines.append(line)
                thread = threading.Thread(target=self._talk, args=(line,), daemon=True)
                self._threads.append(thread)
                thread.start()

    def _talk(self, line: socket.socket) -> None:
        with suppress(OSError, Hung), self._encrypted(line) as spoken, spoken.makefile("rb") as heard:
            self.converse(spoken, heard)

    def _encrypted(self, line: socket.socket) -> socket.socket:
        if self.certificate is None:
            return line
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self.certificate)
        return context.wrap_socket(line, server_side=True)

    def converse(self, line, heard) -> None:
        raise NotImplementedError


class Hung(Exception):
    """The conversation is over."""


class MailServer(LoopbackServer):
    """Answers by verb: a sentence, DROP, HANG or DRIP, or a function of the line that says which."""

    def __init__(self, certificate: Path | None = None, **answers):
        self.answers = USUAL | answers
        self.taken: list[tuple[str, str]] = []  # to whom, and what
        self.heard: list[str] = []
        super().__init__(certificate)

    @property
    def receivers(self) -> list[str]:
        return [to for to, _ in self.taken]

    def converse(self, line, heard) -> None:
        self._say(line, "greeting", "")
        to = ""
        for raw in heard:
            text = raw.decode().strip()
            verb = text.split()[0].lower()
            self.heard.append(verb)
            if verb == "rcpt":
                to = text.partition("<")[2].partition(">")[0]
            self._say(line, verb, text)
            if verb == "data" and self._answer("data", text).startswith("354"):
                self._take(line, heard, to)
            if verb == "quit":
                return

    def _take(self, line, heard, to: str) -> None:
        lines = []
        while (each := heard.readline()) not in (b".\r\n", b""):
            lines.append(each.decode().removeprefix("."))
        answer = self._answer("dot", to)
        if answer.startswith("2") or answer == DROP:  # who drops the line then may have taken it
            self.taken.append((to, "".join(lines)))
        self._say(line, "dot", to)

    def _answer(self, verb: str, text: str) -> str:
        answer = self.answers.get(verb, "250 ok")
        return answer(text) if callable(answer) else answer

    def _say(self, line, verb: str, text: str) -> None:
        answer = self._answer(verb, text)
        if answer == DROP:
            raise Hung
        if answer == HANG:
            self.over.wait()
            raise Hung
        while answer == DRIP and not self.over.wait(0.01):
            line.sendall(b"2")
        line.sendall(f"{answer}\r\n".encode())


class ImapServer(LoopbackServer):
    """A mailbox with numbered mails, as far as a reader that changes nothing needs one."""

    def __init__(self, mails: dict[int, bytes], certificate: Path | None = None):
        self.mails, self.heard = mails, []
        super().__init__(certificate)

    def converse(self, line, heard) -> None:
        line.sendall(b"* OK here\r\n")
        for raw in heard:
            tag, _, asked = raw.decode().strip().partition(" ")
            self.heard.append(asked)
            for part in self._answers(asked.lower().split()):
                line.sendall(part + b"\r\n")
            line.sendall(f"{tag} OK done\r\n".encode())

    def _answers(self, words: list[str]) -> list[bytes]:
        match words:
            case ["capability"]:
                return [b"* CAPABILITY IMAP4rev1"]
            case ["examine", _]:
                return [b"* %d EXISTS" % len(self.mails), b"* OK [UIDVALIDITY 7] kept"]
            case ["uid", "search", "uid", span]:
                first = int(span.partition(":")[0])
                newest = max(self.mails)
                found = [number for number in sorted(self.mails) if number >= first or number == newest]
                return [b"* SEARCH " + " ".join(map(str, found)).encode()]
            case ["uid", "fetch", number, *_]:
                raw = self.mails[int(number)]
                return [b"* 1 FETCH (UID %s BODY[]<0> {%d}" % (number.encode(), len(raw)), raw + b")"]
        return []
