// No imports: the web client checks the size before it uploads.
export const MAX_UPLOAD_BYTES = 32 * 1024 ** 2
