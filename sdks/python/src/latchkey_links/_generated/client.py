"""Made from the OpenAPI document by `npm run sdks`; changes made here are lost."""

from __future__ import annotations

from types import TracebackType

import httpx

from .._transport import AsyncTransport, Options, Transport
from .bulk import AsyncBulk, Bulk
from .bundles import AsyncBundles, Bundles
from .changes import AsyncChanges, Changes
from .config import AsyncConfig, Config
from .domains import AsyncDomains, Domains
from .events import AsyncEvents, Events
from .legacy import AsyncLegacy, Legacy
from .links import AsyncLinks, Links
from .plans import AsyncPlans, Plans
from .slugs import AsyncSlugs, Slugs
from .webhooks import AsyncWebhooks, Webhooks


class LinksClient:
    """A client of one Latchkey Links service.

    `timeout` is in seconds, for connecting and for each wait for data. Calls that get 429 or 503
    are repeated up to `max_retries` times, where that is safe. An `http_client` that is given is
    not closed.
    """

    def __init__(
        self,
        base_url: str,
        *,
        api_key: str,
        timeout: float = 30.0,
        max_retries: int = 2,
        http_client: httpx.Client | None = None,
    ) -> None:
        self._transport = Transport(Options(base_url, api_key, timeout, max_retries), http_client)
        self.links: Links = Links(self._transport)
        self.domains: Domains = Domains(self._transport)
        self.config: Config = Config(self._transport)
        self.bulk: Bulk = Bulk(self._transport)
        self.slugs: Slugs = Slugs(self._transport)
        self.legacy: Legacy = Legacy(self._transport)
        self.bundles: Bundles = Bundles(self._transport)
        self.changes: Changes = Changes(self._transport)
        self.plans: Plans = Plans(self._transport)
        self.webhooks: Webhooks = Webhooks(self._transport)
        self.events: Events = Events(self._transport)

    def close(self) -> None:
        self._transport.close()

    def __enter__(self) -> LinksClient:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


class AsyncLinksClient:
    """The same with asyncio; cancelling the task ends the call, waiting included."""

    def __init__(
        self,
        base_url: str,
        *,
        api_key: str,
        timeout: float = 30.0,
        max_retries: int = 2,
        http_client: httpx.AsyncClient | None = None,
    ) -> None:
        self._transport = AsyncTransport(
            Options(base_url, api_key, timeout, max_retries), http_client
        )
        self.links: AsyncLinks = AsyncLinks(self._transport)
        self.domains: AsyncDomains = AsyncDomains(self._transport)
        self.config: AsyncConfig = AsyncConfig(self._transport)
        self.bulk: AsyncBulk = AsyncBulk(self._transport)
        self.slugs: AsyncSlugs = AsyncSlugs(self._transport)
        self.legacy: AsyncLegacy = AsyncLegacy(self._transport)
        self.bundles: AsyncBundles = AsyncBundles(self._transport)
        self.changes: AsyncChanges = AsyncChanges(self._transport)
        self.plans: AsyncPlans = AsyncPlans(self._transport)
        self.webhooks: AsyncWebhooks = AsyncWebhooks(self._transport)
        self.events: AsyncEvents = AsyncEvents(self._transport)

    async def close(self) -> None:
        await self._transport.close()

    async def __aenter__(self) -> AsyncLinksClient:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.close()
