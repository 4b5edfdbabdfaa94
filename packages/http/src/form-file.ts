import { BROKEN_UPLOAD, readPieces } from './body.ts'
import { Failure, transportFailure } from './failure.ts'

/** The file of a form, which arrives while `content` is read. */
export interface FormFile {
  /** Name as the client sent it. May be empty, and may contain folders and any characters. */
  name: string
  /**
   * Read it once. It ends normally only if the form is complete and has nothing but this file.
   * Throws 400 otherwise, and `tooLarge` for more than `limitBytes`. A piece loses its bytes when
   * the next one is read: waiting for the garbage collector would hold most of the file in memory.
   */
  content: AsyncIterable<Uint8Array>
}

export interface FormFileOptions {
  /** The name of the form's only field. */
  field: string
  limitBytes: number
  tooLarge: Failure
}

/** Bytes of a form around its file: boundaries, headers, and a preamble that no one sends. */
const OVERHEAD_BYTES = 16 * 1024
const HEADERS_END = Buffer.from('\r\n\r\n')

/**
 * Opens a form with one file (RFC 7578). Only some network buffers of it are in memory at any time.
 * Throws 415 for another content type, and 400 for another form. A body that declares more than
 * `limitBytes` is not read.
 *
 * @example
 * const { name, content } = await openFormFile(request, { field: 'file', limitBytes: 1024, tooLarge })
 * for await (const piece of content) hash.update(piece)
 */
export async function openFormFile(request: Request, options: FormFileOptions): Promise<FormFile> {
  requireForm(request)
  const { field, limitBytes, tooLarge } = options
  const form = new FormReader(readPieces(request, limitBytes + OVERHEAD_BYTES), boundaryOf(request))
  const explain = (error: unknown) =>
    error instanceof Failure && error.code === 'body_too_large' ? tooLarge : error
  try {
    return { name: await form.readFileName(field), content: bounded(form.readContent(), options, explain) }
  } catch (error) {
    throw explain(error)
  }
}

/** Throws 415 unless the body is a form with files. */
export function requireForm({ headers }: Request): void {
  if (!/^multipart\/form-data\s*(?:;|$)/i.test(headers.get('content-type') ?? ''))
    throw transportFailure('unsupported_media_type', { text: 'Content-Type must be multipart/form-data' })
}

/** A boundary has at most 70 characters (RFC 2046, section 5.1.1). */
function boundaryOf({ headers }: Request): string {
  const type = headers.get('content-type') ?? ''
  const [, quoted, plain] = /;\s*boundary=(?:"([^"]{1,70})"|([^\s;"]{1,70}))\s*(?:;|$)/i.exec(type) ?? []
  const boundary = quoted ?? plain
  if (boundary === undefined) throw invalid('has no boundary')
  return boundary
}

function invalid(problem: string): Failure {
  return transportFailure('invalid_request', { text: `request: the form ${problem}` })
}

async function* bounded(
  content: AsyncGenerator<Uint8Array>,
  { limitBytes, tooLarge }: FormFileOptions,
  explain: (error: unknown) => unknown,
): AsyncGenerator<Uint8Array> {
  let size = 0
  try {
    for await (const piece of content) {
      size += piece.byteLength
      if (size > limitBytes) throw tooLarge
      yield piece
    }
  } catch (error) {
    throw explain(error)
  }
}

/** Reads a form from its beginning to its end, at the pace of the caller. */
class FormReader {
  readonly #body: AsyncGenerator<Uint8Array>
  readonly #delimiter: Buffer
  /** Bytes that were read and not used. The first delimiter may begin the body, without a line. */
  #rest: Buffer = Buffer.from('\r\n')

  constructor(body: AsyncGenerator<Uint8Array>, boundary: string) {
    this.#body = body
    this.#delimiter = Buffer.from(`\r\n--${boundary}`, 'latin1')
  }

  /** Reads up to the content of the first part. */
  async readFileName(field: string): Promise<string> {
    await this.#readUntil(this.#delimiter)
    if (await this.#isEnd()) throw invalid(`has no file in "${field}"`)
    const parameters = parametersOf((await this.#readUntil(HEADERS_END)).toString())
    const filename = parameters.get('filename')
    if (parameters.get('name') !== field || filename === undefined)
      throw invalid(`must have a file in "${field}", and no other field`)
    return filename
  }

  /** The content of that part, which must be the last. */
  async *readContent(): AsyncGenerator<Uint8Array> {
    try {
      for (let end = -1; end < 0;) {
        end = this.#rest.indexOf(this.#delimiter)
        // The delimiter may begin in this piece and end in the next.
        const length = end < 0 ? Math.max(this.#rest.length - this.#delimiter.length + 1, 0) : end
        if (length > 0) yield this.#rest.subarray(0, length)
        this.#keepFrom(end < 0 ? length : end + this.#delimiter.length)
        if (end < 0) await this.#readMore()
      }
      if (!(await this.#isEnd())) throw invalid('has more than one part')
      for await (const piece of this.#body) release(piece)
    } finally {
      await this.#body.return(undefined)
    }
  }

  /** Whether the delimiter that was just read is the last. */
  async #isEnd(): Promise<boolean> {
    while (this.#rest.length < 2) await this.#readMore()
    return this.#rest.toString('latin1', 0, 2) === '--'
  }

  /** Returns the bytes before the delimiter and drops both. */
  async #readUntil(delimiter: Buffer): Promise<Buffer> {
    for (;;) {
      const at = this.#rest.indexOf(delimiter)
      if (at >= 0) {
        const bytes = Buffer.from(this.#rest.subarray(0, at))
        this.#keepFrom(at + delimiter.length)
        return bytes
      }
      // A form without a part has no headers.
      if (this.#rest.length > OVERHEAD_BYTES) throw invalid('has no part, or one with long headers')
      await this.#readMore()
    }
  }

  #keepFrom(at: number): void {
    const rest = Buffer.from(this.#rest.subarray(at))
    release(this.#rest)
    this.#rest = rest
  }

  async #readMore(): Promise<void> {
    const { done, value } = await this.#body.next()
    if (done) throw BROKEN_UPLOAD
    const joined = Buffer.concat([this.#rest, value])
    release(value)
    this.#rest = joined
  }
}

/** Frees the memory of bytes now, unless they share it with others. */
function release({ buffer, byteLength }: Uint8Array): void {
  if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) buffer.transfer(0)
}

/** Parameters of the header `Content-Disposition`. Browsers write a quotation mark as %22. */
function parametersOf(headers: string): Map<string, string> {
  const [, disposition = ''] = /^content-disposition:[ \t]*form-data[ \t]*(;.*)$/im.exec(headers) ?? []
  const parameters = disposition.matchAll(/;\s*([\w-]+)=(?:"((?:\\"|[^"])*)"|([^\s;"]*))/g)
  return new Map(
    Array.from(parameters, ([, name = '', quoted, plain = '']) => [
      name.toLowerCase(),
      quoted?.replaceAll(/\\"|%22/g, '"') ?? plain,
    ]),
  )
}
