"""Made from the OpenAPI document by `npm run sdks`; changes made here are lost."""

from __future__ import annotations

API_VERSION = "0.1.0"
"""The version of the API that this client was made for."""
DOCUMENT_SHA256 = "55988f9a9f96675992f82f1439e6bffb67679502a41113e1f8deefc245f2130c"
"""SHA-256 of the OpenAPI document that this client was made from, as `/_/api/openapi.json` serves it."""
