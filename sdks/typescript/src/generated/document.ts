// Made from the OpenAPI document by `npm run sdks`; changes made here are lost.

/** The version of the API that this client was made for. */
export const API_VERSION = '0.1.0'
/** SHA-256 of the OpenAPI document that this client was made from, as `/_/api/openapi.json` serves it. */
export const DOCUMENT_SHA256 = '8bb9176653fb3d597320c630dc579ec6ed8e0b59a88877c50c44380e756d631a'
