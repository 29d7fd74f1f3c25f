"""The format of age: read by the tool, reading what the tool wrote, and refusing whatever was changed."""

from __future__ import annotations

from base64 import b64decode
from io import BufferedReader, BytesIO

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from store.backup import Damaged
from upkeep.backups import age

# A file that the tool age 1.1.1 has made, and the key to it.
IDENTITY = "AGE-SECRET-KEY-15ZVCRCL4KV0Q6EYMHFKYWUHSWHHYHKS2KWCWP4AXU0KNL96KLD2QH86D8E"
RECIPIENT = "age1n55lq8aa9qypxkn3h9nsv475rq2fap2wg5n82lwry6wlt9c6x3lsegp2px"
BY_THE_TOOL = b64decode(
    "YWdlLWVuY3J5cHRpb24ub3JnL3YxCi0+IFgyNTUxOSBIQ09uNzdvc2dHSTlhZnB3TzBuTmYzMmlNbUVISzZQbCtvWjlyekdTcUNRCjJsbEgvdTZU"
    "NGcwMnNoRDhWbzd4dkZ5ZVRob2p3Vlp0MkMzNFZ1S1NFMm8KLS0tICt5TEpDSTUrbUtzVGU4VTF4dUNCOGNCTDJEdkYzaFdDNTlSNEhjK2dRRzQK"
    "btoTFStNJJYGSe9oE9ug6Su2AHJYRJlwr7OJpqRWtZMKmHn8lO8rYsqM6Gbni3Q3EPZs96M="
)
SAID = b"The quick brown fox.\n"


def encrypted(data: bytes, *recipients: str, step: int = 7001) -> bytes:
    file = BytesIO()
    into = age.Encrypting(file, recipients)
    for at in range(0, len(data), step):
        into.write(data[at : at + step])
    into.finish()
    return file.getvalue()


def decrypted(file: bytes, *identities: str) -> bytes:
    return BufferedReader(age.Decrypting(BytesIO(file), identities)).read()


def test_what_the_tool_wrote_is_read():
    assert age.recipient_of(IDENTITY) == RECIPIENT
    assert decrypted(BY_THE_TOOL, age.new_identity(), IDENTITY) == SAID


@pytest.mark.parametrize(
    "size",
    [0, 1, age.CHUNK_BYTES - 1, age.CHUNK_BYTES, age.CHUNK_BYTES + 1, 2 * age.CHUNK_BYTES, 3 * age.CHUNK_BYTES + 5],
)
def test_whoever_holds_one_of_the_keys_reads_all_of_it(size):
    ours, theirs, data = age.new_identity(), age.new_identity(), bytes(range(256)) * (size // 256 + 1)
    file = encrypted(data[:size], age.recipient_of(ours), age.recipient_of(theirs))
    assert decrypted(file, ours) == decrypted(file, theirs) == data[:size]
    assert len(file) < size + 600
    with pytest.raises(age.NotForUs, match="other keys"):
        decrypted(file, age.new_identity())


def test_no_two_files_are_alike():
    assert encrypted(SAID, RECIPIENT) != encrypted(SAID, RECIPIENT)


@settings(max_examples=150, deadline=None)
@given(st.integers(0, len(BY_THE_TOOL) - 1), st.integers(1, 255))
def test_no_byte_can_be_changed_unnoticed(at, by):
    changed = bytearray(BY_THE_TOOL)
    changed[at] ^= by
    with pytest.raises(Damaged):
        decrypted(bytes(changed), IDENTITY)


def test_a_file_cut_short_anywhere_is_noticed():
    for length in range(len(BY_THE_TOOL)):
        with pytest.raises(Damaged):
            decrypted(BY_THE_TOOL[:length], IDENTITY)


@pytest.mark.parametrize("chunks", [[0, 2], [0], [1, 0, 2], [0, 1, 2, 2]])
def test_chunks_left_out_moved_or_repeated_are_noticed(chunks):
    file = encrypted(bytes(3 * age.CHUNK_BYTES), RECIPIENT)
    begins, size = len(file) - 3 * (age.CHUNK_BYTES + age.TAG_BYTES), age.CHUNK_BYTES + age.TAG_BYTES
    parts = [file[begins + n * size : begins + (n + 1) * size] for n in range(3)]
    assert decrypted(file[:begins] + b"".join(parts), IDENTITY) == bytes(3 * age.CHUNK_BYTES)
    with pytest.raises(Damaged, match="changed or cut short"):
        decrypted(file[:begins] + b"".join(parts[n] for n in chunks), IDENTITY)


def test_what_was_not_finished_cannot_be_taken_for_whole():
    file = BytesIO()
    age.Encrypting(file, [RECIPIENT]).write(bytes(2 * age.CHUNK_BYTES))
    with pytest.raises(Damaged):
        decrypted(file.getvalue(), IDENTITY)


@pytest.mark.parametrize("text", ["", "age1", RECIPIENT[:-1], RECIPIENT[:-1] + "q", RECIPIENT.upper(), IDENTITY, "é"])
def test_what_is_no_recipient_is_refused(text):
    with pytest.raises(age.BadKey, match="age1"):
        age.check_recipient(text)


@pytest.mark.parametrize("text", ["", "# only words\n", IDENTITY.lower(), IDENTITY[:-1] + "Q", RECIPIENT])
def test_what_is_no_identity_is_refused_and_not_repeated(text):
    with pytest.raises(age.BadKey, match="AGE-SECRET-KEY-1") as refused:
        age.identities_in(text)
    assert IDENTITY[16:60].lower() not in str(refused.value).lower()


def test_a_file_of_keys_may_have_comments_and_several():
    other = age.new_identity()
    assert age.identities_in(f"# created\n{IDENTITY}\n\n{other}\n") == [IDENTITY, other]
