"""Made from the OpenAPI document by `npm run sdks`; changes made here are lost."""
