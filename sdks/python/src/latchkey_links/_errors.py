from __future__ import annotations

from typing import Any

_CODES = {
    400: "invalid_request",
    401: "unauthorized",
    403: "forbidden",
    404: "not_found",
    405: "method_not_allowed",
    409: "conflict",
    413: "too_large",
    429: "too_many_requests",
    500: "internal",
    503: "unavailable",
}
_FIRST_ERROR = 400


class LinksError(Exception):
    """The base of all errors of a call; `code` is the stable name of the failure."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message

    def __reduce__(self) -> tuple[Any, ...]:
        # By default, Python would call the class with `args`, which are not its parameters.
        return _recreate, (type(self), *self.args), vars(self)


class LinksApiError(LinksError):
    """The server answered with an error.

    `message` is its text. `code` is the error code that it sent, such as `slug_taken`; without
    one, it is derived from the status. `request_id` names the request in the log of the server;
    `retry_after` is in seconds.
    """

    def __init__(
        self,
        status: int,
        message: str,
        *,
        code: str | None = None,
        request_id: str | None = None,
        retry_after: float | None = None,
    ) -> None:
        super().__init__(code or _code_of_status(status), message)
        self.status = status
        self.request_id = request_id
        self.retry_after = retry_after

    def __str__(self) -> str:
        return f"{self.status} {self.message}"


class LinksTimeoutError(LinksError):
    """The call took longer than its timeout."""

    def __init__(self) -> None:
        super().__init__("timeout", "No answer in time")


class LinksNetworkError(LinksError):
    """The server could not be reached, or the connection broke; `__cause__` is the error of httpx."""

    def __init__(self, cause: Exception) -> None:
        super().__init__("network", f"The request failed: {cause}")


def _recreate(kind: type[LinksError], *args: object) -> LinksError:
    """Recreate an error that was pickled or copied, without its fields."""
    return kind.__new__(kind, *args)


def _code_of_status(status: int) -> str:
    return _CODES.get(status) or (
        "unexpected_answer" if status < _FIRST_ERROR else f"http_{status}"
    )
