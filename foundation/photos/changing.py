"""Adding, replacing, describing or removing the picture of a thing: the action, and the page with its form.

Shared by everything that has a picture. Its app checks permissions and adds its own part of the transaction:

    def picture(request, post):
        act = partial(services.picture_post, request.user, post.id)
        return picture_page(request, post.photo, act, reverse("post", args=[post.slug]), title=post.title)

    @retried
    def picture_post(actor, post_id, change):
        before = ...find(post_id).photo
        after = change.instead_of(before)
        record(event, photos.setting_photo(key, before, after, Exists()), *change.writes(before))
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from hashlib import sha256
from itertools import accumulate
from pathlib import Path
from threading import BoundedSemaphore, Timer
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect, JsonResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from foundation.acts.rate_limits import SECONDS_PER_HOUR, Limit, count
from foundation.acts.refusals import LostRace
from foundation.pages.forms import form_data, run_form
from foundation.store.table import Write

from . import child
from .child import MAX_PHOTO_BYTES, MAX_UPLOAD_BYTES, WIDTHS
from .photos import (
    CONTENT_TYPES,
    MAX_ALT_CHARS,
    SENTENCES,
    Encoded,
    Photo,
    adding_bytes,
    deleting_bytes,
    new_id,
    no_picture,
)


class PictureForm(forms.Form):
    """A file and its description. An existing picture stays if no file is sent, and can be removed."""

    file = forms.FileField(
        label=gettext_lazy("Picture"),
        max_length=500,
        widget=forms.FileInput({"accept": "image/jpeg,image/png,image/webp", "data-most-bytes": MAX_UPLOAD_BYTES}),
        help_text=gettext_lazy("A JPEG, PNG or WebP file of up to 8 MB. We remove where and when it was taken."),
    )
    alt = forms.CharField(
        label=gettext_lazy("What it shows"),
        max_length=MAX_ALT_CHARS,
        widget=forms.TextInput({"dir": "auto"}),
        help_text=gettext_lazy("A few words for people who cannot see it."),
    )
    remove = forms.BooleanField(label=gettext_lazy("Remove the picture"), required=False)

    def __init__(self, *arguments: Any, photo: Photo | None, alt: str = "", **options: Any):
        super().__init__(*arguments, initial={"alt": photo.alt if photo else alt}, **options)
        self.fields["file"].required = photo is None
        if photo is None:
            del self.fields["remove"]

    def clean_file(self) -> Any:
        file = self.cleaned_data["file"]
        if file and file.size > MAX_UPLOAD_BYTES:
            raise ValidationError(SENTENCES["large"])
        return file

    def clean_alt(self) -> str:
        """One line, with at least one printable character."""
        text = " ".join(str(self.cleaned_data["alt"]).split())
        if not any(each.isprintable() and not each.isspace() for each in text):
            raise ValidationError(gettext_lazy("Describe in a few words what the picture shows."))
        return text

    def clean(self) -> dict[str, Any]:
        """Removing a picture needs no other field."""
        cleaned = super().clean() or {}
        if cleaned.get("remove"):
            self.errors.clear()
        return cleaned


UPLOADS = Limit("pictures", 60, SECONDS_PER_HOUR)  # per person: each takes a second of CPU time


@dataclass(frozen=True, slots=True)
class PictureChange:
    """A change to a picture: a new one, a new description of the one seen, or none."""

    new: Encoded | None = None
    seen: Photo | None = None  # the picture whose description changes
    alt: str = ""

    def instead_of(self, before: Photo | None) -> Photo | None:
        """The picture afterwards. A description is never applied to a different picture."""
        if self.new:
            return self.new.photo
        if self.seen and (before is None or before.id != self.seen.id):
            raise LostRace
        return replace(before, alt=self.alt) if self.seen and before else None

    def writes(self, before: Photo | None) -> list[Write]:
        """Writes that add and delete picture data, for the transaction that updates the owner."""
        if self.seen and not self.new:
            return []
        return [*(adding_bytes(self.new) if self.new else ()), *deleting_bytes(before)]


def picture_page(
    request: HttpRequest,
    photo: Photo | None,
    act: Callable[[PictureChange], Any],
    to: str,
    alt: str = "",
    **context: Any,
) -> HttpResponse:
    """Shows and processes the form. Scripts submit it in the background and get the URL to continue at.

    `alt` describes a new picture unless something else is typed.
    """
    form = PictureForm(form_data(request), request.FILES or None, photo=photo, alt=alt)

    def save() -> str:
        typed = form.cleaned_data
        if typed.get("remove"):
            change = PictureChange()
        elif file := typed["file"]:
            count(UPLOADS, request.user.name)
            change = PictureChange(new=encoded(file.read(), typed["alt"]))
        else:
            change = PictureChange(seen=photo, alt=typed["alt"])
        act(change)
        return _("The picture is saved.") if change.new or change.seen else _("The picture is removed.")

    done, is_scripted = run_form(request, form, save, str, "file"), request.headers.get("Accept") == "application/json"
    if done:
        return JsonResponse({"to": to}) if is_scripted else HttpResponseRedirect(to)
    if is_scripted:
        sentences = [sentence for errors in form.errors.values() for sentence in errors]
        return JsonResponse({"sentences": sentences}, status=422)
    context |= {"form": form, "photo": photo, "back": to}
    return render(request, "photos/form.html", context, status=422 if form.errors else 200)


# --- re-encoding an upload in another process (foundation/photos/child.py), whose limits the kernel enforces ---
# Uploads are decoded by large C libraries, in which vulnerabilities are found every year. So they are decoded where
# there is nothing to steal: in a fresh program that has no secrets, opens no files, and ends when its time or memory is
# used up.

ENCODING_SLOTS = BoundedSemaphore(2)  # pictures encoded at once per process, so that pages take precedence
MAX_QUEUE_SECONDS = 10.0
TIMEOUT_SECONDS = child.MAX_SECONDS + 5.0  # wall-clock time; the child's own alarm comes first
MAX_OUTPUT_BYTES = 4096 + len(WIDTHS) * MAX_PHOTO_BYTES  # read from the child's output
PROGRAM = (sys.executable, "-I", "-X", "utf8", str(Path(child.__file__).resolve()))


def encoded(raw: bytes, alt: str, photo_id: str | None = None) -> Encoded:
    """Re-encodes a picture in all widths without any metadata; raises a refusal with a message."""
    if len(raw) > MAX_UPLOAD_BYTES:
        raise no_picture("large")
    with encoding_slot():
        return read(run_child(raw), alt, photo_id or new_id())


@contextmanager
def encoding_slot() -> Iterator[None]:
    if not ENCODING_SLOTS.acquire(timeout=MAX_QUEUE_SECONDS):
        raise no_picture("busy")
    try:
        yield
    finally:
        ENCODING_SLOTS.release()


# --- child process ---


def run_child(raw: bytes, program: tuple[str, ...] = PROGRAM, seconds: float = TIMEOUT_SECONDS) -> bytes:
    """The child's output, limited in both time and size."""
    try:
        process = subprocess.Popen(  # noqa: S603 - our own program, without user input in its arguments
            program,
            cwd="/",
            env={},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
    except OSError:  # no resources for another process
        raise no_picture("busy") from None
    clock = Timer(seconds, _end, [process])
    clock.daemon = True
    clock.start()
    try:
        output = _communicate(process, raw)
    finally:
        clock.cancel()
        clock.join()
        _end(process)
        process.wait()
    if b"\n" in output and len(output) <= MAX_OUTPUT_BYTES:
        return output
    was_ended = process.returncode in (-signal.SIGXCPU, -signal.SIGALRM, -signal.SIGKILL)
    raise no_picture("long" if was_ended and not output else "broken")


def _communicate(process: subprocess.Popen[bytes], raw: bytes) -> bytes:
    """Ends at the latest when the child is killed, because that closes the pipes."""
    assert process.stdin
    assert process.stdout
    with process.stdin, process.stdout, suppress(BrokenPipeError):
        with suppress(BrokenPipeError):  # it was killed while reading
            process.stdin.write(raw)
            process.stdin.close()
        return process.stdout.read(MAX_OUTPUT_BYTES + 1)
    return b""


def _end(process: subprocess.Popen[bytes]) -> None:
    """Kills the whole process group."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)


# --- child output ---


def read(output: bytes, alt: str, photo_id: str) -> Encoded:
    """Validates the output as untrusted, because the child has processed untrusted input."""
    line, _, rest = output.partition(b"\n")
    try:
        header = json.loads(line)
        if "refused" in header:
            raise no_picture(header["refused"])
        sizes = [(int(each["wide"]), int(each["high"]), int(each["bytes"])) for each in header["pictures"]]
        widths, lengths = tuple(wide for wide, _high, _bytes in sizes), [each for _, _, each in sizes]
        wide, high, _bytes = sizes[-1]
        is_ordered = list(widths) == sorted({*widths}) and 0 < widths[0] <= wide <= WIDTHS[-1]
        if header["kind"] not in CONTENT_TYPES or not is_ordered:
            raise ValueError("These are not the widths of a picture.")
        if sum(lengths) != len(rest) or not all(0 < length < MAX_PHOTO_BYTES for length in lengths):
            raise ValueError("These are not the bytes of a picture.")
    except (IndexError, KeyError, TypeError, ValueError):
        raise no_picture("broken") from None
    parts = tuple(rest[end - length : end] for end, length in zip(accumulate(lengths), lengths, strict=True))
    digests = tuple(sha256(part).hexdigest() for part in parts)
    return Encoded(Photo(photo_id, alt, wide, high, widths, header["kind"], digests), parts)
