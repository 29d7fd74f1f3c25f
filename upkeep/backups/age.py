"""The file format of age (age-encryption.org/v1), as far as backups need it: streaming encryption to X25519 keys.

Encryption needs only recipients, which are not secret, so a machine can make backups that it cannot read. The format is
compatible with the `age` tool in both directions. The bytes follow the specification at https://c2sp.org/age; the
cryptography itself is that of the package `cryptography`.
"""

from __future__ import annotations

import base64
import io
import re
import secrets
from collections.abc import Iterable, Iterator, Sequence
from itertools import count
from typing import BinaryIO

from cryptography.exceptions import InvalidSignature, InvalidTag
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.hmac import HMAC
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from store.backup import Damaged

VERSION = b"age-encryption.org/v1\n"
CHUNK_BYTES, TAG_BYTES = 64 * 1024, 16
KEY_BYTES, FILE_KEY_BYTES = 32, 16  # bytes
BODY_LINE_CHARS = 64
VISIBLE = re.compile(rb"[!-~]+")
X25519 = b"age-encryption.org/v1/X25519"
RECIPIENT, IDENTITY = "age", "AGE-SECRET-KEY-"
LETTERS = "qpzry9x8gf2tvdw0s3jn54khce6mua7l"  # of Bech32
MAX_LINE_BYTES, MAX_LINES = 4096, 1000  # of a header; a longer one is not ours
UNREADABLE = "The backup is damaged before its first line: how it is encrypted cannot be read."
NOTHING = bytes(12)  # a constant nonce is safe for a key that is used once


class BadKey(ValueError):
    """Not a recipient or identity; the message says what one looks like."""


class NotForUs(Damaged):
    """A file that none of the given identities can decrypt."""


# --- keys ---


def new_identity() -> str:
    return _bech32(IDENTITY.lower(), X25519PrivateKey.generate().private_bytes_raw()).upper()


def recipient_of(identity: str) -> str:
    """The public key that belongs to the identity."""
    return _bech32(RECIPIENT, _private(identity).public_key().public_bytes_raw())


def check_recipient(text: str) -> None:
    _public(text)


def identities_in(text: str) -> list[str]:
    """The identities in a file as `age-keygen` writes it: one per line, and comments."""
    lines = (line.strip() for line in text.splitlines())
    found = [line for line in lines if line and not line.startswith("#")]
    for each in found:
        _private(each)
    if not found:
        raise BadKey("There is no identity in it: a line that begins with AGE-SECRET-KEY-1.")
    return found


def _public(text: str) -> X25519PublicKey:
    if (key := _unbech32(RECIPIENT, text)) is None:
        raise BadKey(f"{text!r} is no recipient: one begins with age1 and has 62 characters.")
    return X25519PublicKey.from_public_bytes(key)


def _private(text: str) -> X25519PrivateKey:
    """The error does not quote the text, which may be a secret key with a typo."""
    if text != text.upper() or (key := _unbech32(IDENTITY.lower(), text.lower())) is None:
        raise BadKey("This is no identity: one begins with AGE-SECRET-KEY-1 and has 74 characters.")
    return X25519PrivateKey.from_private_bytes(key)


def _bech32(name: str, key: bytes) -> str:
    values = _regrouped(key, 8, 5)
    check = _checksum([*_spelt(name), *values, 0, 0, 0, 0, 0, 0]) ^ 1
    values += [check >> 5 * (5 - place) & 31 for place in range(6)]
    return name + "1" + "".join(LETTERS[value] for value in values)


def _unbech32(name: str, text: str) -> bytes | None:
    """The 32 bytes of a key, or `None` if it is misspelt."""
    begins, _, rest = text.rpartition("1")
    if begins != name or any(letter not in LETTERS for letter in rest) or len(rest) != 58:
        return None
    values = [LETTERS.index(letter) for letter in rest]
    if _checksum([*_spelt(name), *values]) != 1:
        return None
    return bytes(_regrouped(values[:-6], 5, 8)[:32])


def _spelt(name: str) -> list[int]:
    return [ord(letter) >> 5 for letter in name] + [0] + [ord(letter) & 31 for letter in name]


def _checksum(values: Iterable[int]) -> int:
    check = 1
    for value in values:
        top = check >> 25
        check = (check & 0x1FFFFFF) << 5 ^ value
        for place, term in enumerate((0x3B6A57B2, 0x26508E6D, 0x1EA119FA, 0x3D4233DD, 0x2A1462B3)):
            check ^= term if top >> place & 1 else 0
    return check


def _regrouped(values: Iterable[int], width: int, into: int) -> list[int]:
    """The same bits in groups of another width, the last one padded with zeros."""
    bits = "".join(f"{value:0{width}b}" for value in values)
    bits += "0" * (-len(bits) % into)
    return [int(bits[at : at + into], 2) for at in range(0, len(bits), into)]


# --- the header: the file key, for each recipient ---


def _header(file_key: bytes, recipients: Sequence[X25519PublicKey]) -> bytes:
    head = VERSION + b"".join(_stanza(file_key, each) for each in recipients) + b"---"
    return head + b" " + _text(_mac(file_key, head).finalize()) + b"\n"


def _stanza(file_key: bytes, recipient: X25519PublicKey) -> bytes:
    once = X25519PrivateKey.generate()
    share = once.public_key().public_bytes_raw()
    wrapped = _wrapping(once.exchange(recipient), share, recipient).encrypt(NOTHING, file_key, None)
    return b"-> X25519 " + _text(share) + b"\n" + _text(wrapped) + b"\n"


def _wrapping(secret: bytes, share: bytes, recipient: X25519PublicKey) -> ChaCha20Poly1305:
    return ChaCha20Poly1305(_derived(secret, share + recipient.public_bytes_raw(), X25519))


def _unwrapped(arguments: list[bytes], body: bytes, identities: Iterable[X25519PrivateKey]) -> bytes | None:
    """The file key, if this stanza is for one of the identities. Lengths are checked before decrypting: a longer file
    key could be one that decrypts differently for several recipients."""
    if arguments[0] != b"X25519":
        return None
    share = _bytes(arguments[1]) if len(arguments) == 2 else b""
    if len(share) != KEY_BYTES or len(body) != FILE_KEY_BYTES + TAG_BYTES:
        raise Damaged(UNREADABLE)
    for each in identities:
        try:
            secret = each.exchange(X25519PublicKey.from_public_bytes(share))
            return _wrapping(secret, share, each.public_key()).decrypt(NOTHING, body, None)
        except (InvalidTag, ValueError):
            continue
    return None


def _read_header(file: BinaryIO, identities: Sequence[X25519PrivateKey]) -> bytes:
    """The file key, once the header has been verified."""
    head, file_key = file.readline(MAX_LINE_BYTES), None
    if head != VERSION:
        raise Damaged("The backup is not encrypted in a way this Plenum knows.")
    for _ in range(MAX_LINES):
        line = file.readline(MAX_LINE_BYTES)
        if line.startswith(b"--- "):
            return _checked(file_key, head + b"---", line)
        if not line.startswith(b"-> "):
            break
        arguments = _arguments(line)
        body, text = _body(file)
        file_key = file_key or _unwrapped(arguments, body, identities)
        head += line + text
    raise Damaged(UNREADABLE)


def _arguments(line: bytes) -> list[bytes]:
    """The first line of a stanza: words of visible characters, separated by single spaces."""
    arguments = line[3:].removesuffix(b"\n").split(b" ")
    if not line.endswith(b"\n") or not all(VISIBLE.fullmatch(word) for word in arguments):
        raise Damaged(UNREADABLE)
    return arguments


def _body(file: BinaryIO) -> tuple[bytes, bytes]:
    """The decoded body of a stanza, and its text: lines of 64 characters, of which the last is shorter."""
    lines = []
    for _ in range(MAX_LINES):
        lines.append(file.readline(MAX_LINE_BYTES))
        if not lines[-1].endswith(b"\n") or len(lines[-1]) > BODY_LINE_CHARS + 1:
            raise Damaged(UNREADABLE)
        if len(lines[-1]) < BODY_LINE_CHARS + 1:
            break
    text = b"".join(lines)
    return _bytes(text.replace(b"\n", b"")), text


def _checked(file_key: bytes | None, head: bytes, line: bytes) -> bytes:
    if file_key is None:
        raise NotForUs("The backup is encrypted to other keys than the identity that was given.")
    try:
        _mac(file_key, head).verify(_bytes(line[4:].rstrip(b"\n")))
    except InvalidSignature:
        raise Damaged("The backup was changed: how it is encrypted is not what was written.") from None
    return file_key


def _mac(file_key: bytes, head: bytes) -> HMAC:
    mac = HMAC(_derived(file_key, b"", b"header"), SHA256())
    mac.update(head)
    return mac


def _derived(secret: bytes, salt: bytes, purpose: bytes) -> bytes:
    return HKDF(SHA256(), 32, salt, purpose).derive(secret)


def _text(value: bytes) -> bytes:
    return base64.b64encode(value).rstrip(b"=")


def _bytes(text: bytes) -> bytes:
    """Refuses non-canonical encodings, so that no change to the header goes unnoticed."""
    try:
        value = base64.b64decode(text + b"=" * (-len(text) % 4), validate=True)
    except ValueError:
        value = b""
    if _text(value) != text:
        raise Damaged(UNREADABLE)
    return value


# --- the content, chunk by chunk ---


def _nonces() -> Iterator[tuple[bytes, bytes]]:
    """For each chunk two nonces: one if more chunks follow, one for the last."""
    for number in count():
        counted = number.to_bytes(11, "big")
        yield counted + b"\0", counted + b"\1"


class Encrypting(io.RawIOBase):
    """A writable stream that encrypts to the recipients; complete after `finish`."""

    def __init__(self, file: BinaryIO, recipients: Iterable[str]):
        file_key, nonce = secrets.token_bytes(16), secrets.token_bytes(16)
        file.write(_header(file_key, [_public(each) for each in recipients]) + nonce)
        self.file = file
        self.cipher = ChaCha20Poly1305(_derived(file_key, nonce, b"payload"))
        self.nonces = _nonces()
        self.waiting = bytearray()

    def writable(self) -> bool:
        return True

    def write(self, data: bytes) -> int:  # type: ignore[override]
        self.waiting += data
        while len(self.waiting) > CHUNK_BYTES:  # a full chunk waits too: it may be the last
            self._put(next(self.nonces)[0])
        return len(data)

    def _put(self, nonce: bytes) -> None:
        self.file.write(self.cipher.encrypt(nonce, bytes(self.waiting[:CHUNK_BYTES]), None))
        del self.waiting[:CHUNK_BYTES]

    def finish(self) -> None:
        """Not called automatically after an error: an incomplete file must not look complete."""
        self._put(next(self.nonces)[1])


class Decrypting(io.RawIOBase):
    """A readable stream that decrypts with any of the identities; a chunk is returned only after it was
    authenticated."""

    def __init__(self, file: BinaryIO, identities: Iterable[str]):
        file_key = _read_header(file, [_private(each) for each in identities])
        self.file = file
        self.cipher = ChaCha20Poly1305(_derived(file_key, file.read(16), b"payload"))
        self.nonces = _nonces()
        self.ahead = file.read(CHUNK_BYTES + TAG_BYTES)
        self.decrypted = memoryview(b"")
        self.is_first = True

    def readable(self) -> bool:
        return True

    def readinto(self, into: memoryview) -> int:  # type: ignore[override]
        if not self.decrypted and (self.ahead or self.is_first):
            self.decrypted = memoryview(self._next())
        some = self.decrypted[: len(into)]
        into[: len(some)] = some
        self.decrypted = self.decrypted[len(some) :]
        return len(some)

    def _next(self) -> bytes:
        is_first, self.is_first = self.is_first, False
        chunk, self.ahead = self.ahead, self.file.read(CHUNK_BYTES + TAG_BYTES)
        try:
            content = self.cipher.decrypt(next(self.nonces)[0 if self.ahead else 1], chunk, None)
        except InvalidTag:
            raise Damaged("The backup was changed or cut short: a part of it cannot be decrypted.") from None
        if not content and not is_first:
            raise Damaged("The backup was changed: its last part is empty, which nobody writes.")
        return content
