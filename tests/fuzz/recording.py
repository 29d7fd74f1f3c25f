"""Every form class of the product, and which of them a walk through the site has sent."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from importlib import import_module
from typing import Any

import pytest
from django import forms
from django.conf import settings

NO_PRODUCT = {"django", "tests"}


def product_forms() -> set[type[forms.Form]]:
    """All classes of forms that pages use; whatever no page uses is not loaded by the routes."""
    import_module(settings.ROOT_URLCONF)
    return {each for each in _below(forms.Form) if each.__module__.partition(".")[0] not in NO_PRODUCT}


def name_of(kind: type[forms.Form]) -> str:
    return f"{kind.__module__}.{kind.__qualname__}"


def _below(kind: type[forms.Form]) -> Iterator[type[forms.Form]]:
    for each in kind.__subclasses__():
        yield each
        yield from _below(each)


class Sent:
    """The forms that were checked while it records."""

    def __init__(self, patch: pytest.MonkeyPatch):
        self.forms: dict[int, forms.Form] = {}
        for kind in product_forms():
            if "clean" in vars(kind) or kind.__bases__ == (forms.Form,):
                patch.setattr(kind, "clean", self._recording(kind.clean))

    def _recording(self, clean: Callable[[forms.Form], Any]) -> Callable[[forms.Form], Any]:
        def recorded(form: forms.Form) -> Any:
            self.forms[id(form)] = form
            return clean(form)

        return recorded

    @property
    def accepted(self) -> set[type[forms.Form]]:
        return {type(each) for each in self.forms.values() if not each.errors}
