"""Made from the OpenAPI document by `npm run sdks`; changes made here are lost."""

from __future__ import annotations

API_VERSION = "0.1.0"
"""The version of the API that this client was made for."""
DOCUMENT_SHA256 = "8bb9176653fb3d597320c630dc579ec6ed8e0b59a88877c50c44380e756d631a"
"""SHA-256 of the OpenAPI document that this client was made from, as `/_/api/openapi.json` serves it."""
