// No imports: the web client checks the size before it uploads.
export const MAX_UPLOAD_BYTES = 32 * 1024 ** 2
/** The beginning of a file by which its format and columns are recognised. */
export const MAX_INSPECTED_BYTES = 64 * 1024
