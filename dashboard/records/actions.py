"""The only writer: every create, update and delete of a business record passes through here.

A write has three answers (design.md, "The rules of a write"): these functions return when it is
Saved, raise `OutcomeUnknown` when nobody can tell, and any other `GatewayError` when it is
certainly Not saved. Nothing here is ever sent twice.
"""

import logging
from typing import Any

from dashboard.gateway import Created, Done, Gateway

from . import lookups
from .resource import Resource

logger = logging.getLogger(__name__)


def create(*, gateway: Gateway, resource: Resource, body: dict[str, Any]) -> Created:
    """Create a record; the answer carries its id where the service told one."""
    created = gateway.create(resource.endpoint, body)
    logger.info("created %s %s", resource.singular, created.id)
    return created


def update(*, gateway: Gateway, resource: Resource, record_id: int, body: dict[str, Any]) -> Done:
    """Change a record; `body` holds what changes and nothing else."""
    done = gateway.update(resource.endpoint, record_id, body)
    lookups.forget(gateway, resource.endpoint, record_id)
    logger.info("updated %s %s: %s", resource.singular, record_id, ", ".join(body))
    return done


def delete(*, gateway: Gateway, resource: Resource, record_id: int) -> Done:
    """Delete a record for good."""
    done = gateway.delete(resource.endpoint, record_id)
    lookups.forget(gateway, resource.endpoint, record_id)
    logger.info("deleted %s %s", resource.singular, record_id)
    return done
