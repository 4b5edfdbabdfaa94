"""The parts of a call and of its answer, for both transports."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, Final, TypeVar, cast
from urllib.parse import quote
from uuid import uuid4

T = TypeVar("T")


class Omitted(Enum):
    """The type of `OMITTED`."""

    OMITTED = "omitted"


OMITTED: Final = Omitted.OMITTED
"""A field that is not sent at all, where `None` would be stored."""


@dataclass(frozen=True, slots=True)
class Call:
    method: str
    path: str
    query: Mapping[str, Any] = field(default_factory=dict[str, Any])
    body: Mapping[str, Any] | None = None
    timeout: float | None = None
    max_retries: int | None = None
    idempotency_key: str = field(default_factory=lambda: uuid4().hex)
    """The same in all attempts of this call."""

    def sent_query(self) -> dict[str, Any]:
        return {name: value for name, value in self.query.items() if value is not None}

    def sent_body(self) -> dict[str, Any] | None:
        if self.body is None:
            return None
        return {name: value for name, value in self.body.items() if value is not OMITTED}


@dataclass(frozen=True, slots=True)
class File:
    """An answer that is not JSON."""

    content_type: str
    content: bytes

    @property
    def text(self) -> str:
        return self.content.decode()


def segment(value: str | int) -> str:
    """Encode one segment of a path; an empty or dot segment would lead to another route."""
    text = str(value)
    if text in {"", ".", ".."}:
        message = f"{text!r} is no part of a path"
        raise ValueError(message)
    return quote(text, safe="")


def many(value: Any, one: Callable[[Any], T]) -> list[T]:
    if not isinstance(value, list):
        message = "Not a list"
        raise TypeError(message)
    return [one(item) for item in cast("list[object]", value)]


def maybe(value: Any, one: Callable[[Any], T]) -> T | None:
    return None if value is None else one(value)
