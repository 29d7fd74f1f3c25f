"""Pages for auditors: the raw tables and their relational view. They only read, and access is not recorded."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.http import urlencode
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from accounts.access import allow_everyone, requires
from accounts.rules import Permission
from pages.lists import as_csv
from store import keys
from store.schema import SCHEMA, Sheet
from store.table import Key, Span

from . import raw, relations
from .forms import FilterForm, ItemForm, PartitionForm, ThingForm
from .sheets import NoSuch, Page, TableQuery, as_text


@requires(Permission.VIEW_SECRETS)
@require_safe
def tables(request: HttpRequest) -> HttpResponse:
    return render(request, "audit/tables/tables.html", {"relations": SCHEMA.sheets.values()})


# --- the relational view ---


@requires(Permission.VIEW_SECRETS, load=relations.find, rule=allow_everyone)
@require_safe
def table(request: HttpRequest, relation: Sheet) -> HttpResponse:
    if relation.of_election and not request.GET:
        context = {"relation": relation, "form": FilterForm(filters=relation.filters)}
        return render(request, "audit/tables/table.html", context | {"choices": relations.choices(relation)})
    form, page = _read(request, relation)
    if page is None:
        return _refused(request, relation, form)
    parameters = {name: word for name, word in form.cleaned_data.items() if word not in ("", None)}
    older = f"?{urlencode({**parameters, 'after': page.cursor})}" if page.cursor else ""
    download = reverse("table_csv", args=[relation.name]) + (f"?{urlencode(parameters)}" if parameters else "")
    context = {"relation": relation, "form": form, "page": page, "older": older, "download": download}
    return render(request, "audit/tables/table.html", context)


def _read(request: HttpRequest, relation: Sheet) -> tuple[FilterForm, Page | None]:
    """The requested page, if the form is valid; otherwise the form has the error."""
    form = FilterForm(request.GET, filters=relation.filters)
    if not form.is_valid():
        return form, None
    try:
        return form, relations.page(relation, TableQuery(**form.cleaned_data))
    except NoSuch as refusal:
        form.add_error(None, str(refusal))
        return form, None


def _refused(request: HttpRequest, relation: Sheet, form: FilterForm) -> HttpResponse:
    return render(request, "audit/tables/table.html", {"relation": relation, "form": form}, status=422)


@requires(Permission.VIEW_SECRETS, load=relations.find, rule=allow_everyone)
@require_safe
def table_csv(request: HttpRequest, relation: Sheet) -> HttpResponse:
    """The rows of the current page, as a file."""
    form, page = _read(request, relation)
    if page is None:
        return _refused(request, relation, form)
    rows = ([_plain(cell.value) for cell in row.cells] for row in page.rows)
    answer = HttpResponse("".join(as_csv(relation.columns, rows)), content_type="text/csv; charset=utf-8")
    answer["Content-Disposition"] = f'attachment; filename="{relation.name}.csv"'
    return answer


def _plain(value: Any) -> object:
    """Numbers and booleans keep their type."""
    return value if isinstance(value, int) else "" if value is None else as_text(value)


# --- the raw tables ---


@requires(Permission.VIEW_SECRETS)
@require_safe
def raw_tables(request: HttpRequest) -> HttpResponse:
    """A partition, page by page; without one, starting points."""
    if "kind" in request.GET:
        return _find_by_name(request)
    form = PartitionForm(request.GET if request.GET else None)
    context: dict[str, Any] = {"form": form, "thing": ThingForm(), "well_known": raw.well_known()}
    if not form.is_valid():
        return render(request, "audit/tables/raw.html", context, status=422 if form.errors else 200)
    span = _span(form)
    try:
        rows, cursor = raw.rows(span, request.GET.get("after") or None)
    except raw.CannotShow as refusal:
        form.add_error(None, str(refusal))
        return render(request, "audit/tables/raw.html", context, status=422)
    older = raw.href(span, cursor) if cursor else ""
    return render(request, "audit/tables/raw.html", context | {"span": span, "rows": rows, "older": older})


def _span(form: PartitionForm) -> Span:
    parameters = form.cleaned_data
    return Span(
        parameters["pk"], parameters["prefix"], index=parameters["index"], table=raw.TABLE_NAMES[parameters["table"]]
    )


def _find_by_name(request: HttpRequest) -> HttpResponse:
    """Redirect to the partition of something known by name."""
    form = ThingForm(request.GET)
    if not form.is_valid():
        context = {"form": PartitionForm(), "thing": form, "well_known": raw.well_known()}
        return render(request, "audit/tables/raw.html", context, status=422)
    places: dict[str, Callable[[str], Key]] = {"election": keys.election, "person": keys.user}
    place = places[form.cleaned_data["kind"]](form.cleaned_data["name"])
    return redirect(raw.href(Span(place.pk)))


@requires(Permission.VIEW_SECRETS)
@require_safe
def raw_item(request: HttpRequest) -> HttpResponse:
    form = ItemForm(request.GET)
    if not form.is_valid():
        context = {"form": PartitionForm(), "thing": ThingForm(), "well_known": raw.well_known()}
        context["sentence"] = _("Choose an item by table, partition key and sort key.")
        return render(request, "audit/tables/raw.html", context, status=422)
    key = Key(form.cleaned_data["pk"], form.cleaned_data["sk"], raw.TABLE_NAMES[form.cleaned_data["table"]])
    item = raw.view_item(key)
    if item is None:
        raise Http404
    partition_href = raw.href(Span(key.pk, table=key.table))
    return render(request, "audit/tables/item.html", {"key": key, "item": item, "partition": partition_href})
