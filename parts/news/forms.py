"""Forms for writers of posts."""

from __future__ import annotations

from hashlib import sha256
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.http import QueryDict
from django.utils.translation import gettext_lazy as _

from foundation.pages.fields import (
    AddressField,
    LinesField,
    LocalTimeField,
    TitleField,
    ZonedForm,
    ZoneField,
    markdown_field,
)
from foundation.pages.names import clean_title
from foundation.pages.times import Edge, InterpretedTime, form_time, from_text

from .repository import FullPost
from .rules import MAX_SLUG_CHARS, MAX_SUMMARY_CHARS, MAX_TAG_CHARS, MAX_TAGS, Post, is_slug, parse_tags, slug_of
from .services import Written


class TagsField(forms.CharField):
    """A few words, separated by commas."""

    def __init__(self, **options: Any):
        super().__init__(
            max_length=MAX_TAGS * (MAX_TAG_CHARS + 2) * 2, widget=forms.TextInput({"dir": "auto"}), **options
        )

    def clean(self, value: Any) -> tuple[str, ...]:
        tags = tuple(clean_title(tag) for tag in parse_tags(super().clean(value)))
        if len(tags) > MAX_TAGS:
            sentence = _("Use at most %(most)d tags; you entered %(count)d.")
            raise ValidationError(sentence, params={"most": MAX_TAGS, "count": len(tags)})
        if long := next((tag for tag in tags if len(tag) > MAX_TAG_CHARS), ""):
            sentence = _("Tags can have at most %(most)d characters. This one is too long: %(tag)s…")
            raise ValidationError(sentence, params={"most": MAX_TAG_CHARS, "tag": long[:MAX_TAG_CHARS]})
        return tags


class SlugField(forms.CharField):
    """The last part of a post's address."""

    def __init__(self, **options: Any):
        attributes = {"autocapitalize": "none", "spellcheck": "false", "dir": "auto"}
        super().__init__(max_length=MAX_SLUG_CHARS, widget=forms.TextInput(attributes), **options)

    def clean(self, value: Any) -> str:
        slug = super().clean(value)
        if slug and not is_slug(slug):
            sentence = _("Use only lower-case letters, digits and hyphens, for example: %(slug)s")
            raise ValidationError(sentence, params={"slug": slug_of(slug)})
        return slug


class PostForm(forms.Form):
    """A new or changed post."""

    title = TitleField(label=_("Title"))
    text = markdown_field(_("Text"), 16)
    tags = TagsField(
        label=_("Tags"), required=False, help_text=_("What the post is about, separated by commas. At most eight.")
    )
    summary = LinesField(
        label=_("Summary"),
        required=False,
        max_length=MAX_SUMMARY_CHARS,
        rows=2,
        help_text=_("Shown in lists and when the post is shared. If empty, the first words of the text are used."),
    )
    slug = SlugField(label=_("Address"), required=False, help_text=_("If empty, it is made from the title."))

    def clean_summary(self) -> str:
        return " ".join(str(self.cleaned_data["summary"]).split())

    def written(self) -> Written:
        chosen = self.cleaned_data
        return Written(chosen["title"], chosen["text"], chosen["tags"], chosen["summary"], chosen["slug"])


class EditForm(PostForm):
    """An existing post. Detects changes made elsewhere since the form was opened."""

    seen = forms.CharField(widget=forms.HiddenInput, required=False)  # digest of the texts when the form was opened

    def __init__(self, *arguments: Any, full: FullPost, is_seen: bool, **options: Any):
        super().__init__(*arguments, initial=self.initial_of(full), **options)
        if full.post.was_dated:
            self.fields["slug"].help_text = _("If you change it, the old address keeps leading to the post.")
        if is_seen:
            self.fields["revised"] = forms.BooleanField(
                label=_("Tell readers about this change"),
                required=False,
                help_text=_("The post then shows when it was changed, and followers see it as new."),
            )

    @staticmethod
    def initial_of(full: FullPost) -> dict[str, Any]:
        post = full.post
        chosen = {"title": post.title, "tags": ", ".join(post.tags), "summary": post.summary, "slug": post.slug}
        return {**chosen, "text": full.text.text, "seen": EditForm.digest_of(full)}

    @staticmethod
    def digest_of(full: FullPost) -> str:
        """Covers the texts only: a new picture or date is not a conflict."""
        post = full.post
        texts = (post.title, full.text.text, post.summary, post.slug, *post.tags)
        return sha256("\n".join(texts).encode()).hexdigest()

    def is_up_to_date(self, full: FullPost) -> bool:
        return bool(self.cleaned_data["seen"] == self.digest_of(full))


class PublishForm(ZonedForm):
    """When a post is published."""

    at = LocalTimeField(edge=Edge.APPEARING, label=_("Day and time"), help_text=_("In the time zone below."))
    time_zone = ZoneField()

    @staticmethod
    def initial_of(post: Post) -> dict[str, Any]:
        if post.published_at is None:
            return {}
        return {"at": form_time(from_text(post.published_at), post.time_zone), "time_zone": post.time_zone}

    def moment(self) -> InterpretedTime:
        understood: InterpretedTime = self.cleaned_data["at"]
        return understood


# --- News by mail ---


class ByMailForm(forms.Form):
    email = AddressField(help_text=_("Used only for the news. Every mail has an unsubscribe link."))


class NoNewsForm(forms.Form):
    email = AddressField(help_text=_("The address of someone who asked you to unsubscribe them."))


def wants_mails(typed: QueryDict) -> bool | None:
    """Whether to mail subscribers, by the checkbox beside the publish button; `None` if there was none."""
    return typed.get("mails") == "on" if "mails_asked" in typed else None
