from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from email.utils import parsedate_to_datetime

_UNAVAILABLE = 503
# Statuses of requests that changed nothing. The exception is a 503 without `Retry-After`.
_WORTH_IT = frozenset({429, _UNAVAILABLE})
_CONFLICT = 409
# Idempotent methods (RFC 9110 section 9.2.2), and POST, which is sent with an idempotency key.
_REPEATABLE = frozenset({"GET", "PUT", "DELETE", "POST"})
# If the server asks for a longer wait, the call fails instead.
_LONGEST_WAIT = 60.0
_FIRST_WAIT = 0.5
_LONGEST_GUESS = 8.0
# Random part of the wait: clients that were refused together do not return together.
_SPREAD = 0.5
# With more doublings, the wait exceeds its maximum anyway.
_DOUBLINGS = 5


@dataclass(frozen=True, slots=True)
class Failed:
    method: str
    status: int
    retry_after: float | None
    """The seconds that the server asks for."""
    retries: int
    """The number of retries of this call so far."""


def wait_before_retry(failed: Failed, random: Callable[[], float]) -> float | None:
    """Return the seconds to wait before a retry; None: the call is not repeated."""
    # An earlier attempt with the same key is still running.
    running = (
        failed.status == _CONFLICT and failed.method == "POST" and failed.retry_after is not None
    )
    if failed.method not in _REPEATABLE or not (failed.status in _WORTH_IT or running):
        return None
    if failed.retry_after is None:
        # The outcome is unknown. A retry could be refused, or undo later changes by others. A POST
        # is not performed twice with one key.
        if failed.status == _UNAVAILABLE and failed.method not in {"GET", "POST"}:
            return None
        doubled = _FIRST_WAIT * 2.0 ** min(failed.retries, _DOUBLINGS)
        return min(doubled, _LONGEST_GUESS) * (1 + random()) * 0.5
    if failed.retry_after > _LONGEST_WAIT:
        return None
    return failed.retry_after + random() * _SPREAD


def read_retry_after(header: str | None, now: float) -> float | None:
    """Return `Retry-After` in seconds; the header is a number or a date."""
    text = (header or "").strip()
    if text.isascii() and text.isdigit():
        return float(text)
    try:
        return max(0.0, parsedate_to_datetime(text).timestamp() - now)
    except (ValueError, OverflowError):
        return None
