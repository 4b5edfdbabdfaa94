"""Made from the OpenAPI document by `npm run sdks`; changes made here are lost."""

from __future__ import annotations

API_VERSION = "0.1.0"
"""The version of the API that this client was made for."""
DOCUMENT_SHA256 = "6cf8124f67da572b6eddcb07d180833610b624147cf6c8367d29bd4c74a89e49"
"""SHA-256 of the OpenAPI document that this client was made from, as `/_/api/openapi.json` serves it."""
