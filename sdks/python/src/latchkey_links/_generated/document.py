"""Made from the OpenAPI document by `npm run sdks`; changes made here are lost."""

from __future__ import annotations

API_VERSION = "0.1.0"
"""The version of the API that this client was made for."""
DOCUMENT_SHA256 = "ac79047e80f9d220a03195a75c619f18c263976783f1a649c01179c2854fd2fd"
"""SHA-256 of the OpenAPI document that this client was made from, as `/_/api/openapi.json` serves it."""
