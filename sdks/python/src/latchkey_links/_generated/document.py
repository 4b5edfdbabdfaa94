"""Made from the OpenAPI document by `npm run sdks`; changes made here are lost."""

from __future__ import annotations

API_VERSION = "0.1.0"
"""The version of the API that this client was made for."""
DOCUMENT_SHA256 = "5965f62b84cd82c6cef9fa3a3b1d8acb7465ffe10b66bf9529d03bb616d9767b"
"""SHA-256 of the OpenAPI document that this client was made from, as `/_/api/openapi.json` serves it."""
