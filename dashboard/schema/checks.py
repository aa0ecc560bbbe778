"""Checks of the declarations of resources."""

from collections.abc import Iterable, Iterator

from dashboard.gateway.api import Endpoint, Field
from dashboard.schema.filters import Filter
from dashboard.schema.record_form import RecordForm
from dashboard.schema.resource import Detail, Resource


def problems(resources: Iterable[Resource]) -> Iterator[str]:
    """Yield a sentence for each mistake, which begins with the name of the resource."""
    taken: dict[str, str] = {}
    for resource in resources:
        for attribute in ("name", "key"):
            value = getattr(resource, attribute)
            if other := taken.get(f"{attribute} {value}"):
                yield f"{resource.name}: the {attribute} “{value}” is that of {other}, too."
            taken[f"{attribute} {value}"] = resource.name
        yield from (f"{resource.name}: {sentence}" for sentence in _problems(resource))


def _problems(resource: Resource) -> Iterator[str]:
    yield from _columns(resource)
    yield from _details(resource)
    for item in resource.filters:
        yield from _label(item, "filter")
        yield from item.problems(resource.endpoint)
    yield from _form(resource, resource.create_form, resource.endpoint.create, "create")
    yield from _form(resource, resource.edit_form, resource.endpoint.update, "update")
    yield from _duplicate_search(resource)


def _listed(endpoint: Endpoint) -> set[str]:
    return _names((*endpoint.fields, *endpoint.extra))


def _columns(resource: Resource) -> Iterator[str]:
    listed = _listed(resource.endpoint)
    for column in resource.columns:
        if column.name not in listed and not column.from_record:
            yield f"the list of the service has no field “{column.name}” for a column."
        yield from _label(column, "column")
    if resource.title_field not in listed:
        yield f"the list of the service has no field “{resource.title_field}” to name a record by."


def _details(resource: Resource) -> Iterator[str]:
    endpoint = resource.endpoint
    known = {*endpoint.kinds, *_names(endpoint.filters)}
    for detail in resource.details:
        if detail.name not in known:
            yield f"neither the service nor a form knows the detail “{detail.name}”."
        yield from _label(detail, "detail")


def _label(part: Detail | Filter, what: str) -> Iterator[str]:
    if not part.label:
        yield f"the {what} “{part.name}” needs a label, as no form field has that name."


def _form(
    resource: Resource, form: type[RecordForm], fields: tuple[Field, ...], operation: str
) -> Iterator[str]:
    endpoint, has = resource.endpoint, set(form.base_fields)
    for field in fields:
        if field.required and field.name not in has:
            words = f"the {operation} form lacks the field “{field.name}”"
            yield f"{words}, which the service requires."
    for name in has & set(endpoint.kinds) - _names((*fields, *endpoint.extra)):
        yield f"the {operation} form has a field “{name}”, which the service does not take there."
    named = {*form.more, *form.remembered, *form.links.values(), *form.ask_before_emptying}
    for name in sorted(named - has):
        yield f"the {operation} form speaks of a field “{name}” that it does not have."


def _duplicate_search(resource: Resource) -> Iterator[str]:
    listed, sent = _listed(resource.endpoint), set(resource.create_form.base_fields)
    for column, field in resource.duplicate_search.same.items():
        if column not in listed:
            yield f"the list of the service has no field “{column}” to find a duplicate by."
        if field not in sent:
            yield f"the create form has no field “{field}” to find a duplicate by."


def _names(fields: Iterable[Field]) -> set[str]:
    return {field.name for field in fields}
