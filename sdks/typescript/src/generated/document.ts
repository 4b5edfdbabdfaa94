// Made from the OpenAPI document by `npm run sdks`; changes made here are lost.

/** The version of the API that this client was made for. */
export const API_VERSION = '0.1.0'
/** SHA-256 of the OpenAPI document that this client was made from, as `/_/api/openapi.json` serves it. */
export const DOCUMENT_SHA256 = '1902a859cf30f03381683a17e7291bab0aa3d5e8ceedc3b422c6975072a7e4d3'
