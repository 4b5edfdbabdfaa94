// Made from the OpenAPI document by `npm run sdks`; changes made here are lost.

/** The version of the API that this client was made for. */
export const API_VERSION = '0.1.0'
/** SHA-256 of the OpenAPI document that this client was made from, as `/_/api/openapi.json` serves it. */
export const DOCUMENT_SHA256 = '0a36b824c15f80c42543ba1808ebf07dfbb43cb72f21c4155684f3c6abb9b286'
