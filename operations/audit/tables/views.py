"""Pages for auditors: the raw tables and their relational view. They only read, and access is not recorded."""

from __future__ import annotations

from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.http import urlencode
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from accounts.access import allow_everyone, requires
from accounts.rules import Permission
from foundation.acts.refusals import Refusal
from foundation.pages.lists import as_csv
from foundation.store import keys
from foundation.store.schema import SCHEMA, Sheet
from foundation.store.table import Key, Span
from operations.audit.forms import FilterForm, ItemForm, PartitionForm, ThingForm

from . import raw, relations
from .relations import TablePage, TableQuery


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


def _read(request: HttpRequest, relation: Sheet) -> tuple[FilterForm, TablePage | None]:
    """The requested page, if the form is valid; otherwise the form has the error."""
    form = FilterForm(request.GET, filters=relation.filters)
    if not form.is_valid():
        return form, None
    try:
        return form, relations.page(relation, TableQuery(**form.cleaned_data))
    except Refusal as refusal:
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
    rows = ([cell.value if isinstance(cell.value, int) else cell.as_text for cell in row.cells] for row in page.rows)
    answer = HttpResponse("".join(as_csv(relation.columns, rows)), content_type="text/csv; charset=utf-8")
    answer["Content-Disposition"] = f'attachment; filename="{relation.name}.csv"'
    return answer


# --- the raw tables ---


@requires(Permission.VIEW_SECRETS)
@require_safe
def raw_tables(request: HttpRequest) -> HttpResponse:
    """A partition, page by page; without one, starting points."""
    if "kind" in request.GET:
        return _find_by_name(request)
    form = PartitionForm(request.GET if request.GET else None)
    if not form.is_valid():
        return _raw_page(request, 422 if form.errors else 200, form=form)
    chosen = form.cleaned_data
    span = Span(chosen["pk"], chosen["prefix"], index=chosen["index"], table=raw.TABLE_NAMES[chosen["table"]])
    try:
        rows, cursor = raw.rows(span, request.GET.get("after") or None)
    except raw.CannotShow as refusal:
        form.add_error(None, str(refusal))
        return _raw_page(request, 422, form=form)
    return _raw_page(request, form=form, span=span, rows=rows, older=raw.href(span, cursor) if cursor else "")


def _raw_page(request: HttpRequest, status: int = 200, **more: Any) -> HttpResponse:
    context = {"form": PartitionForm(), "thing": ThingForm(), "well_known": raw.well_known(), **more}
    return render(request, "audit/tables/raw.html", context, status=status)


def _find_by_name(request: HttpRequest) -> HttpResponse:
    """Redirect to the partition of something known by name."""
    form = ThingForm(request.GET)
    if not form.is_valid():
        return _raw_page(request, 422, thing=form)
    key_of = keys.election if form.cleaned_data["kind"] == "election" else keys.user
    return redirect(raw.href(Span(key_of(form.cleaned_data["name"]).pk)))


@requires(Permission.VIEW_SECRETS)
@require_safe
def raw_item(request: HttpRequest) -> HttpResponse:
    form = ItemForm(request.GET)
    if not form.is_valid():
        return _raw_page(request, 422, sentence=_("Choose an item by table, partition key and sort key."))
    key = Key(form.cleaned_data["pk"], form.cleaned_data["sk"], raw.TABLE_NAMES[form.cleaned_data["table"]])
    if (found := raw.view_item(key)) is None:
        raise Http404
    context = {
        "key": key,
        "kind": found[0],
        "attributes": found[1],
        "partition": raw.href(Span(key.pk, table=key.table)),
    }
    return render(request, "audit/tables/item.html", context)
