"""What a template looks up in its names, made once into a function that takes the shortest way.

Django asks seven questions at every step of `election.name`, because it might be an index, a method that wants to know
something, or a name that is not there. Nearly always it is a key or an attribute. So that is tried first, and whenever
anything is odd, Django is asked and answers by its own rules.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from functools import lru_cache
from html import escape
from typing import Any

from django.conf import settings
from django.template import Context
from django.template.base import FilterExpression, Variable, VariableDoesNotExist, render_value_in_context
from django.template.smartif import TokenBase
from django.urls import reverse
from django.utils.functional import Promise
from django.utils.safestring import SafeData, SafeString, mark_safe
from django.utils.timezone import template_localtime

Names = dict[str, Any]
Look = Callable[[Names, Context], Any]

ODD = object()
NO_SUCH_KEY = (TypeError, AttributeError, KeyError, ValueError, IndexError)
ADDRESSES = 4096  # that are remembered


# --- expressions ---


def lookup(expression: FilterExpression, *, or_none: bool = False) -> Look:
    """What an expression finds; for a name that is not there, an empty text, or `None`."""
    if not expression.is_var:
        found = _constant(expression.var)
    elif expression.var.lookups is None or expression.var.translate:
        return lambda names, context: expression.resolve(context.new(names), ignore_failures=or_none)
    else:
        found = _found(expression.var, None if or_none else "")
    return _filtered(found, expression) if expression.filters else found


def name_alone(expression: FilterExpression) -> str | None:
    """What an expression is if it is a name, with nothing done to what that stands for."""
    if not expression.is_var or expression.filters or expression.var.lookups is None or expression.var.translate:
        return None
    name, *steps = expression.var.lookups
    return None if steps else name


def _constant(value: Any) -> Look:
    return lambda names, context: value


def _found(variable: Variable, missing: Any) -> Look:
    first, *others = variable.lookups

    def by_django(names: Names, context: Context) -> Any:
        try:
            return variable.resolve(context.new(names))
        except VariableDoesNotExist:
            if missing is ODD:
                raise
            return missing

    def look(names: Names, context: Context) -> Any:
        try:
            value = names.get(first, ODD)
            if value is ODD:
                return by_django(names, context) if missing is ODD else missing
            if callable(value) and (value := _answer(value)) is ODD:
                return by_django(names, context)
            for step in others:
                value = _step(value, step) if hasattr(value, "__getitem__") else getattr(value, step)
                if callable(value) and (value := _answer(value)) is ODD:
                    return by_django(names, context)
        except Exception:  # Django meets it again, and knows what to make of it
            return by_django(names, context)
        return value

    return look


def _step(value: Any, step: str) -> Any:
    try:
        return value[step]
    except NO_SUCH_KEY:
        return value[int(step)] if step.isdecimal() else getattr(value, step)


def _answer(method: Any) -> Any:
    """What a method answers, unless no template is to ask it."""
    if hasattr(method, "do_not_call_in_templates") or hasattr(method, "alters_data"):
        return ODD
    return method()


def _filtered(found: Look, expression: FilterExpression) -> Look:
    for function, given in expression.filters:
        found = _changed(found, function, [_argument(*each) for each in given])
    return found


def _changed(found: Look, function: Callable[..., Any], given: list[Look]) -> Look:
    """What one filter makes of it."""
    expects_localtime = getattr(function, "expects_localtime", False)
    needs_autoescape = getattr(function, "needs_autoescape", False)
    is_safe = getattr(function, "is_safe", False)

    def changed(names: Names, context: Context) -> Any:
        value = found(names, context)
        arguments = [look(names, context) for look in given]
        if expects_localtime:
            value = template_localtime(value, context.use_tz)
        words = {"autoescape": context.autoescape} if needs_autoescape else {}
        made = function(value, *arguments, **words)
        return mark_safe(made) if is_safe and isinstance(value, SafeData) else made  # noqa: S308 - as it promises

    return changed


def _argument(is_variable: bool, value: Any) -> Look:
    if not is_variable:
        return _constant(mark_safe(value))  # noqa: S308 - it stands in a template of ours
    return _constant(value.literal) if value.lookups is None else _found(value, ODD)


# --- conditions ---

OPERATORS: dict[str, Callable[[Any, Any], Any]] = {
    "in": lambda one, other: one in other,
    "not in": lambda one, other: one not in other,
    "is": operator.is_,
    "is not": operator.is_not,
    "==": operator.eq,
    "!=": operator.ne,
    ">": operator.gt,
    ">=": operator.ge,
    "<": operator.lt,
    "<=": operator.le,
}


def condition(test: TokenBase) -> Look:
    """Whether a condition holds. One with a mistake in it does not."""
    if test.first is not None:
        return _operation(test)
    look = lookup(test.value, or_none=True)

    def holds(names: Names, context: Context) -> Any:
        try:
            return look(names, context)
        except VariableDoesNotExist:
            return None

    return holds


def _operation(test: TokenBase) -> Look:
    """As Django does: a side that is not needed is not looked up, and whatever goes wrong does not hold."""
    if test.first is None:
        return lookup(test.value, or_none=True)
    one = _operation(test.first)
    other = one if test.second is None else _operation(test.second)
    compare = OPERATORS.get(test.id)
    return _joined(test.id, one, other) if compare is None else _compared(one, compare, other)


def _joined(word: str, one: Look, other: Look) -> Look:
    def negated(names: Names, context: Context) -> Any:
        try:
            return not one(names, context)
        except Exception:
            return False

    def both(names: Names, context: Context) -> Any:
        try:
            return one(names, context) and other(names, context)
        except Exception:
            return False

    def either(names: Names, context: Context) -> Any:
        try:
            return one(names, context) or other(names, context)
        except Exception:
            return False

    return {"not": negated, "and": both, "or": either}[word]


def _compared(one: Look, compare: Callable[[Any, Any], Any], other: Look) -> Look:
    def compared(names: Names, context: Context) -> Any:
        try:
            return compare(one(names, context), other(names, context))
        except Exception:
            return False

    return compared


# --- what is shown ---


def shown(value: Any, context: Context) -> str:
    """A value as it stands on the page. Nearly always it is a text, with which little is to be done."""
    kind = type(value)
    if kind is SafeString:
        return value
    if kind is str:
        return value if value.isalnum() or not context.autoescape else escape(value)
    if kind is int and not settings.USE_THOUSAND_SEPARATOR:
        return str(value)
    if isinstance(value, Promise):  # a text that is translated when it is asked for
        return shown(str(value), context)
    return render_value_in_context(value, context)


@lru_cache(ADDRESSES)
def address(name: str, prefix: str, arguments: tuple[str, ...], words: tuple[tuple[str, str], ...]) -> str:
    """Of a page of the site that lies below that path, which has to be the one that is asked for now."""
    return reverse(name, args=arguments, kwargs=dict(words))
