"""Age files with every defect that the test vectors of the format know (C2SP/CCTV), made here by construction.

The vectors are named as there. Of those for features that backups do not use (armor, passphrases, hybrid keys) there is
one each: such files are refused as a whole. What is made here owes nothing to `upkeep.backups.age` but keys' spelling.
"""

from __future__ import annotations

import base64
import io
import os
from collections.abc import Callable, Sequence

import pytest
from cryptography.hazmat.primitives import hashes, hmac
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from store.backup import Damaged
from upkeep.backups import age

IDENTITY, OTHER = age.new_identity(), age.new_identity()
FILE_KEY, NONCE = b"YELLOW SUBMARINE", bytes(range(16))
V1 = b"age-encryption.org/v1\n"
CHUNK_BYTES = 64 * 1024
GREASE = b"-> a-grease some words\nAAAA\n"
LOW_ORDER = bytes.fromhex("5f9c95bca3508c24b1d0b1559c83ef5b04445cc4581c8e86d8224eddd09f1157")
Edit = Callable[[bytes], bytes]


def public(identity: str) -> bytes:
    """The public key that belongs to an identity."""
    recipient, letters = age.recipient_of(identity), "qpzry9x8gf2tvdw0s3jn54khce6mua7l"
    bits = "".join(f"{letters.index(letter):05b}" for letter in recipient.removeprefix("age1")[:-6])
    return bytes(int(bits[at : at + 8], 2) for at in range(0, 256, 8))


def derived(secret: bytes, salt: bytes, info: bytes) -> bytes:
    return HKDF(hashes.SHA256(), 32, salt, info).derive(secret)


def text(value: bytes) -> bytes:
    return base64.b64encode(value).rstrip(b"=")


def wrapped(body: bytes) -> bytes:
    """In lines of 64 letters, the last of which is shorter."""
    letters = text(body)
    lines = [letters[at : at + 64] for at in range(0, len(letters), 64)]
    return b"".join(line + b"\n" for line in lines) + (b"\n" if len(letters) % 64 == 0 else b"")


def sealed(share: bytes, secret: bytes, recipient: bytes, file_key: bytes) -> bytes:
    key = derived(secret, share + recipient, b"age-encryption.org/v1/X25519")
    return ChaCha20Poly1305(key).encrypt(bytes(12), file_key, None)


def x25519(
    identity: str = IDENTITY,
    file_key: bytes = FILE_KEY,
    first: bytes = b"X25519",
    share_edit: Edit = lambda share: share,
    line_edit: Edit = lambda line: line,
    body_edit: Edit = lambda body: body,
) -> bytes:
    once, recipient = X25519PrivateKey.generate(), public(identity)
    share = once.public_key().public_bytes_raw()
    body = sealed(share, once.exchange(X25519PublicKey.from_public_bytes(recipient)), recipient, file_key)
    line = b"-> " + first + b" " + text(share_edit(share))
    return line_edit(line) + b"\n" + body_edit(wrapped(body))


def zero_secret(share: bytes) -> bytes:
    """A stanza whose shared secret is all zeros, as with a point of low order."""
    return b"-> X25519 " + text(share) + b"\n" + wrapped(sealed(share, bytes(32), public(IDENTITY), FILE_KEY))


def mac(head: bytes, file_key: bytes = FILE_KEY) -> bytes:
    made = hmac.HMAC(derived(file_key, b"", b"header"), hashes.SHA256())
    made.update(head)
    return made.finalize()


def header(
    *stanzas: bytes, version: bytes = V1, mac_edit: Edit = lambda line: line, file_key: bytes = FILE_KEY
) -> bytes:
    head = version + b"".join(stanzas) + b"---"
    return head + mac_edit(b" " + text(mac(head, file_key))) + b"\n"


def stream(chunks: Sequence[tuple[bytes, bool]], nonce: bytes = NONCE, file_key: bytes = FILE_KEY) -> bytes:
    """Chunks, each with whether it says to be the last."""
    cipher = ChaCha20Poly1305(derived(file_key, nonce, b"payload"))
    parts = (
        cipher.encrypt(number.to_bytes(11, "big") + bytes([last]), content, None)
        for number, (content, last) in enumerate(chunks)
    )
    return nonce + b"".join(parts)


SAID, FULL = b"age", b"a" * CHUNK_BYTES
PLAIN = stream([(SAID, True)])


def file(*stanzas: bytes, payload: bytes = PLAIN, **more) -> bytes:
    return header(*(stanzas or (x25519(),)), **more) + payload


def corrupted(data: bytes) -> bytes:
    return data[:-1] + bytes([data[-1] ^ 1])


def not_canonical(letters: bytes) -> bytes:
    """Other spare bits in the last letter; the bytes are the same."""
    alphabet = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
    last = alphabet.index(letters[-1:])
    return letters[:-1] + alphabet[last + 1 : last + 2]


TWO = stream([(FULL, False), (SAID, True)])
VISIBLE = bytes(range(33, 127))

READ: dict[str, tuple[bytes, bytes]] = {
    "x25519": (file(), SAID),
    "x25519_grease": (file(GREASE, x25519(), GREASE), SAID),
    "x25519_multiple_recipients": (file(x25519(OTHER), x25519()), SAID),
    "stanza_empty_body": (file(b"-> empty\n\n", x25519()), SAID),
    "stanza_empty_last_line": (file(b"-> full\n" + b"A" * 64 + b"\n\n", x25519()), SAID),
    "stanza_valid_characters": (file(b"-> " + VISIBLE + b" " + VISIBLE + b"\n\n", x25519()), SAID),
    "stream_empty_payload": (file(payload=stream([(b"", True)])), b""),
    "stream_last_chunk_full": (file(payload=stream([(FULL, True)])), FULL),
    "stream_last_chunk_full_second": (file(payload=stream([(FULL, False), (FULL, True)])), FULL * 2),
    "stream_two_chunks": (file(payload=TWO), FULL + SAID),
    "stream_three_chunks": (file(payload=stream([(FULL, False), (FULL, False), (SAID, True)])), FULL * 2 + SAID),
}

REFUSED: dict[str, bytes] = {
    "empty": b"",
    "version_unsupported": file(version=b"age-encryption.org/v1234\n"),
    "header_crlf": header(x25519()).replace(b"\n", b"\r\n") + PLAIN,
    "armor": b"-----BEGIN AGE ENCRYPTED FILE-----\n"
    + base64.encodebytes(file())
    + b"-----END AGE ENCRYPTED FILE-----\n",
    "scrypt": file(b"-> scrypt " + text(bytes(16)) + b" 10\n" + wrapped(os.urandom(32))),
    "hybrid": file(b"-> mlkem768x25519 " + text(os.urandom(1120)) + b"\n" + wrapped(os.urandom(32))),
    # the code that shows that the header is whole
    "hmac_bad": file(mac_edit=lambda line: b" " + text(bytes(32))),
    "hmac_extra_space": file(mac_edit=lambda line: b" " + line),
    "hmac_garbage": file(mac_edit=lambda line: line + b"AAAA"),
    "hmac_missing": file(mac_edit=lambda line: b""),
    "hmac_no_space": file(mac_edit=lambda line: line[1:]),
    "hmac_not_canonical": file(mac_edit=not_canonical),
    "hmac_trailing_space": file(mac_edit=lambda line: line + b" "),
    "hmac_truncated": file(mac_edit=lambda line: line[:-5]),
    # stanzas
    "stanza_bad_start": file(b"--> bad\nAAAA\n", x25519()),
    "stanza_base64_padding": file(b"-> padded\nQUFBQQ==\n", x25519()),
    "stanza_empty_argument": file(b"-> empty  argument\n\n", x25519()),
    "stanza_invalid_character": file("-> invalid è\n\n".encode(), x25519()),
    "stanza_long_line": file(b"-> long\n" + b"A" * 68 + b"\n\n", x25519()),
    "stanza_missing_body": file(b"-> bodyless\n", x25519()),
    "stanza_missing_final_line": file(b"-> full\n" + b"A" * 64 + b"\n", x25519()),
    "stanza_multiple_short_lines": file(b"-> short\nAAAA\nAAAA\n", x25519()),
    "stanza_no_arguments": file(b"->\n\n", x25519()),
    "stanza_empty_type": file(b"-> \n\n", x25519()),
    "stanza_not_canonical": file(b"-> odd\nAAB\n", x25519()),
    "stanza_spurious_cr": file(b"-> cr\r\n\n", x25519()),
    "stanza_control_character": file(b"-> tab\there\n\n", x25519()),
    # keys
    "x25519_bad_tag": file(x25519(body_edit=lambda body: wrapped(bytes(32)))),
    "x25519_extra_argument": file(x25519(line_edit=lambda line: line + b" 1234")),
    "x25519_identity": file(zero_secret(bytes(32))),
    "x25519_long_file_key": file(
        x25519(file_key=FILE_KEY * 2), payload=stream([(SAID, True)], file_key=FILE_KEY * 2), file_key=FILE_KEY * 2
    ),
    "x25519_long_share": file(x25519(share_edit=lambda share: share + bytes(1))),
    "x25519_low_order": file(zero_secret(LOW_ORDER)),
    "x25519_lowercase": file(x25519(first=b"x25519")),
    "x25519_no_match": file(x25519(OTHER)),
    "x25519_not_canonical_body": file(x25519(body_edit=lambda body: not_canonical(body.strip()) + b"\n")),
    "x25519_not_canonical_share": file(x25519(line_edit=not_canonical)),
    "x25519_short_share": file(x25519(share_edit=lambda share: share[:-1])),
    # the content
    "stream_bad_tag": file(payload=corrupted(PLAIN)),
    "stream_bad_tag_second_chunk": file(payload=corrupted(TWO)),
    "stream_bad_tag_second_chunk_full": file(payload=corrupted(stream([(FULL, False), (FULL, True)]))),
    "stream_last_chunk_empty": file(payload=stream([(FULL, False), (b"", True)])),
    "stream_missing_tag": file(payload=PLAIN[:-16]),
    "stream_no_chunks": file(payload=NONCE),
    "stream_no_final": file(payload=stream([(SAID, False)])),
    "stream_no_final_full": file(payload=stream([(FULL, False)])),
    "stream_no_final_two_chunks": file(payload=stream([(FULL, False), (SAID, False)])),
    "stream_no_final_two_chunks_full": file(payload=stream([(FULL, False), (FULL, False)])),
    "stream_no_nonce": file(payload=b""),
    "stream_short_chunk": file(payload=stream([(SAID, False), (SAID, True)])),
    "stream_short_nonce": file(payload=NONCE[:12]),
    "stream_short_second_chunk": file(payload=stream([(FULL, False), (SAID, False), (SAID, True)])),
    "stream_trailing_garbage_long": file(payload=PLAIN + bytes(CHUNK_BYTES)),
    "stream_trailing_garbage_short": file(payload=PLAIN + b"garbage"),
    "stream_two_final_chunks": file(payload=stream([(SAID, True), (SAID, True)])),
    "stream_two_final_chunks_full": file(payload=stream([(FULL, True), (FULL, True)])),
}


def decrypted(data: bytes) -> bytes:
    return io.BufferedReader(age.Decrypting(io.BytesIO(data), [IDENTITY])).read()


@pytest.mark.parametrize("name", READ)
def test_what_is_right_is_read(name):
    data, content = READ[name]
    assert decrypted(data) == content


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_wrong_is_refused(name):
    with pytest.raises(Damaged):
        decrypted(REFUSED[name])
