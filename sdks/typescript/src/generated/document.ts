// Made from the OpenAPI document by `npm run sdks`; changes made here are lost.

/** The version of the API that this client was made for. */
export const API_VERSION = '0.1.0'
/** SHA-256 of the OpenAPI document that this client was made from, as `/_/api/openapi.json` serves it. */
export const DOCUMENT_SHA256 = '5965f62b84cd82c6cef9fa3a3b1d8acb7465ffe10b66bf9529d03bb616d9767b'
