"""Made from the OpenAPI document by `npm run sdks`; changes made here are lost."""

from __future__ import annotations

import builtins

from .._call import OMITTED, Call, Omitted, many, segment
from .._transport import AsyncTransport, Transport
from .models import (
    CreateWebhookResult,
    DeleteWebhookResult,
    EventType,
    RotateWebhookSecretResult,
    Webhook,
    WebhookDelivery,
    WebhookDeliveryDetails,
)


class Webhooks:
    """`client.webhooks`."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def list(
        self,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> builtins.list[Webhook]:
        """List your webhooks; administrators those of everyone.

        Needs a key with the scope `read`.
        """
        return self._transport.json(
            Call(
                "GET",
                "/webhooks",
                timeout=timeout,
                max_retries=max_retries,
            ),
            lambda data: many(data, Webhook.from_json),
        )

    def create(
        self,
        *,
        url: str,
        types: builtins.list[EventType] | Omitted = OMITTED,
        bundle: int | None | Omitted = OMITTED,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> CreateWebhookResult:
        """Create a webhook, whose secret is shown only once.

        Needs a key with the scope `create,read`.

        Args:
            url: The receiver: an absolute http or https URL. At most 2048 characters.
            types: Types of events; none means all but `link.imported`. At most 19. `[]` unless given.
            bundle: Only events of this bundle and of the links in it. `null` unless given.
        """
        return self._transport.json(
            Call(
                "POST",
                "/webhooks",
                body={
                    "url": url,
                    "types": types,
                    "bundle": bundle,
                },
                timeout=timeout,
                max_retries=max_retries,
            ),
            CreateWebhookResult.from_json,
        )

    def get(
        self,
        id: int,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Webhook:
        """Read a webhook.

        Needs a key with the scope `read`.
        """
        return self._transport.json(
            Call(
                "GET",
                f"/webhooks/{segment(id)}",
                timeout=timeout,
                max_retries=max_retries,
            ),
            Webhook.from_json,
        )

    def update(
        self,
        id: int,
        *,
        url: str | Omitted = OMITTED,
        types: builtins.list[EventType] | Omitted = OMITTED,
        bundle: int | None | Omitted = OMITTED,
        disabled: bool | Omitted = OMITTED,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Webhook:
        """Update the given fields of a webhook; events are tried again at once.

        Needs a key with the scope `create,read`.

        Args:
            url: The receiver: an absolute http or https URL. At most 2048 characters.
            types: Types of events; none means all but `link.imported`. At most 19.
            bundle: Only events of this bundle and of the links in it.
            disabled: An enabled webhook continues with the events since it was disabled.
        """
        return self._transport.json(
            Call(
                "PUT",
                f"/webhooks/{segment(id)}",
                body={
                    "url": url,
                    "types": types,
                    "bundle": bundle,
                    "disabled": disabled,
                },
                timeout=timeout,
                max_retries=max_retries,
            ),
            Webhook.from_json,
        )

    def delete(
        self,
        id: int,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> DeleteWebhookResult:
        """Delete a webhook with its deliveries.

        Needs a key with the scope `create,read`.
        """
        return self._transport.json(
            Call(
                "DELETE",
                f"/webhooks/{segment(id)}",
                timeout=timeout,
                max_retries=max_retries,
            ),
            DeleteWebhookResult.from_json,
        )

    def rotate_secret(
        self,
        id: int,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> RotateWebhookSecretResult:
        """Replace the secret of a webhook; for 24 hours the old one signs as well.

        Needs a key with the scope `create,read`.
        """
        return self._transport.json(
            Call(
                "POST",
                f"/webhooks/{segment(id)}/rotate",
                timeout=timeout,
                max_retries=max_retries,
            ),
            RotateWebhookSecretResult.from_json,
        )

    def replay(
        self,
        id: int,
        *,
        from_: int,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Webhook:
        """Deliver the events from this one on again, and enable the webhook.

        Needs a key with the scope `create,read`.

        Args:
            from_: The `seq` of the next event to deliver. A later one than the next skips those before it.
        """
        return self._transport.json(
            Call(
                "POST",
                f"/webhooks/{segment(id)}/replay",
                body={
                    "from": from_,
                },
                timeout=timeout,
                max_retries=max_retries,
            ),
            Webhook.from_json,
        )

    def test(
        self,
        id: int,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> WebhookDelivery:
        """Send a test to the receiver and return its answer.

        Needs a key with the scope `create,read`.
        """
        return self._transport.json(
            Call(
                "POST",
                f"/webhooks/{segment(id)}/test",
                timeout=timeout,
                max_retries=max_retries,
            ),
            WebhookDelivery.from_json,
        )

    def list_deliveries(
        self,
        id: int,
        *,
        limit: int | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> builtins.list[WebhookDelivery]:
        """List the latest deliveries of a webhook, newest first.

        Needs a key with the scope `read`.

        Args:
            limit: The most entries of an answer. 1 to 100. `20` unless given.
        """
        return self._transport.json(
            Call(
                "GET",
                f"/webhooks/{segment(id)}/deliveries",
                query={
                    "limit": limit,
                },
                timeout=timeout,
                max_retries=max_retries,
            ),
            lambda data: many(data, WebhookDelivery.from_json),
        )

    def delivery(
        self,
        id: int,
        delivery_id: int,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> WebhookDeliveryDetails:
        """Read a delivery with its request.

        Needs a key with the scope `read`.
        """
        return self._transport.json(
            Call(
                "GET",
                f"/webhooks/{segment(id)}/deliveries/{segment(delivery_id)}",
                timeout=timeout,
                max_retries=max_retries,
            ),
            WebhookDeliveryDetails.from_json,
        )

    def resend_delivery(
        self,
        id: int,
        delivery_id: int,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> WebhookDelivery:
        """Send a delivery once more, outside the order of events, and return the answer.

        Needs a key with the scope `create,read`.
        """
        return self._transport.json(
            Call(
                "POST",
                f"/webhooks/{segment(id)}/deliveries/{segment(delivery_id)}/resend",
                timeout=timeout,
                max_retries=max_retries,
            ),
            WebhookDelivery.from_json,
        )


class AsyncWebhooks:
    """`client.webhooks`."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def list(
        self,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> builtins.list[Webhook]:
        """List your webhooks; administrators those of everyone.

        Needs a key with the scope `read`.
        """
        return await self._transport.json(
            Call(
                "GET",
                "/webhooks",
                timeout=timeout,
                max_retries=max_retries,
            ),
            lambda data: many(data, Webhook.from_json),
        )

    async def create(
        self,
        *,
        url: str,
        types: builtins.list[EventType] | Omitted = OMITTED,
        bundle: int | None | Omitted = OMITTED,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> CreateWebhookResult:
        """Create a webhook, whose secret is shown only once.

        Needs a key with the scope `create,read`.

        Args:
            url: The receiver: an absolute http or https URL. At most 2048 characters.
            types: Types of events; none means all but `link.imported`. At most 19. `[]` unless given.
            bundle: Only events of this bundle and of the links in it. `null` unless given.
        """
        return await self._transport.json(
            Call(
                "POST",
                "/webhooks",
                body={
                    "url": url,
                    "types": types,
                    "bundle": bundle,
                },
                timeout=timeout,
                max_retries=max_retries,
            ),
            CreateWebhookResult.from_json,
        )

    async def get(
        self,
        id: int,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Webhook:
        """Read a webhook.

        Needs a key with the scope `read`.
        """
        return await self._transport.json(
            Call(
                "GET",
                f"/webhooks/{segment(id)}",
                timeout=timeout,
                max_retries=max_retries,
            ),
            Webhook.from_json,
        )

    async def update(
        self,
        id: int,
        *,
        url: str | Omitted = OMITTED,
        types: builtins.list[EventType] | Omitted = OMITTED,
        bundle: int | None | Omitted = OMITTED,
        disabled: bool | Omitted = OMITTED,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Webhook:
        """Update the given fields of a webhook; events are tried again at once.

        Needs a key with the scope `create,read`.

        Args:
            url: The receiver: an absolute http or https URL. At most 2048 characters.
            types: Types of events; none means all but `link.imported`. At most 19.
            bundle: Only events of this bundle and of the links in it.
            disabled: An enabled webhook continues with the events since it was disabled.
        """
        return await self._transport.json(
            Call(
                "PUT",
                f"/webhooks/{segment(id)}",
                body={
                    "url": url,
                    "types": types,
                    "bundle": bundle,
                    "disabled": disabled,
                },
                timeout=timeout,
                max_retries=max_retries,
            ),
            Webhook.from_json,
        )

    async def delete(
        self,
        id: int,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> DeleteWebhookResult:
        """Delete a webhook with its deliveries.

        Needs a key with the scope `create,read`.
        """
        return await self._transport.json(
            Call(
                "DELETE",
                f"/webhooks/{segment(id)}",
                timeout=timeout,
                max_retries=max_retries,
            ),
            DeleteWebhookResult.from_json,
        )

    async def rotate_secret(
        self,
        id: int,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> RotateWebhookSecretResult:
        """Replace the secret of a webhook; for 24 hours the old one signs as well.

        Needs a key with the scope `create,read`.
        """
        return await self._transport.json(
            Call(
                "POST",
                f"/webhooks/{segment(id)}/rotate",
                timeout=timeout,
                max_retries=max_retries,
            ),
            RotateWebhookSecretResult.from_json,
        )

    async def replay(
        self,
        id: int,
        *,
        from_: int,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Webhook:
        """Deliver the events from this one on again, and enable the webhook.

        Needs a key with the scope `create,read`.

        Args:
            from_: The `seq` of the next event to deliver. A later one than the next skips those before it.
        """
        return await self._transport.json(
            Call(
                "POST",
                f"/webhooks/{segment(id)}/replay",
                body={
                    "from": from_,
                },
                timeout=timeout,
                max_retries=max_retries,
            ),
            Webhook.from_json,
        )

    async def test(
        self,
        id: int,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> WebhookDelivery:
        """Send a test to the receiver and return its answer.

        Needs a key with the scope `create,read`.
        """
        return await self._transport.json(
            Call(
                "POST",
                f"/webhooks/{segment(id)}/test",
                timeout=timeout,
                max_retries=max_retries,
            ),
            WebhookDelivery.from_json,
        )

    async def list_deliveries(
        self,
        id: int,
        *,
        limit: int | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> builtins.list[WebhookDelivery]:
        """List the latest deliveries of a webhook, newest first.

        Needs a key with the scope `read`.

        Args:
            limit: The most entries of an answer. 1 to 100. `20` unless given.
        """
        return await self._transport.json(
            Call(
                "GET",
                f"/webhooks/{segment(id)}/deliveries",
                query={
                    "limit": limit,
                },
                timeout=timeout,
                max_retries=max_retries,
            ),
            lambda data: many(data, WebhookDelivery.from_json),
        )

    async def delivery(
        self,
        id: int,
        delivery_id: int,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> WebhookDeliveryDetails:
        """Read a delivery with its request.

        Needs a key with the scope `read`.
        """
        return await self._transport.json(
            Call(
                "GET",
                f"/webhooks/{segment(id)}/deliveries/{segment(delivery_id)}",
                timeout=timeout,
                max_retries=max_retries,
            ),
            WebhookDeliveryDetails.from_json,
        )

    async def resend_delivery(
        self,
        id: int,
        delivery_id: int,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> WebhookDelivery:
        """Send a delivery once more, outside the order of events, and return the answer.

        Needs a key with the scope `create,read`.
        """
        return await self._transport.json(
            Call(
                "POST",
                f"/webhooks/{segment(id)}/deliveries/{segment(delivery_id)}/resend",
                timeout=timeout,
                max_retries=max_retries,
            ),
            WebhookDelivery.from_json,
        )
