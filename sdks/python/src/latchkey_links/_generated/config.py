"""Made from the OpenAPI document by `npm run sdks`; changes made here are lost."""

from __future__ import annotations

from .._call import Call
from .._transport import AsyncTransport, Transport
from .models import GetConfigResult


class Config:
    """`client.config`."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def get(
        self,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> GetConfigResult:
        """Read the public origin of short URLs.

        Needs a key with the scope `read`.
        """
        return self._transport.json(
            Call(
                "GET",
                "/config",
                timeout=timeout,
                max_retries=max_retries,
            ),
            GetConfigResult.from_json,
        )


class AsyncConfig:
    """`client.config`."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def get(
        self,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> GetConfigResult:
        """Read the public origin of short URLs.

        Needs a key with the scope `read`.
        """
        return await self._transport.json(
            Call(
                "GET",
                "/config",
                timeout=timeout,
                max_retries=max_retries,
            ),
            GetConfigResult.from_json,
        )
