// Made from the OpenAPI document by `npm run sdks`; changes made here are lost.

/** The version of the API that this client was made for. */
export const API_VERSION = '0.1.0'
/** SHA-256 of the OpenAPI document that this client was made from, as `/_/api/openapi.json` serves it. */
export const DOCUMENT_SHA256 = '6cf8124f67da572b6eddcb07d180833610b624147cf6c8367d29bd4c74a89e49'
