import { createHmac } from 'node:crypto'
import { FileStorageUnavailable } from '@latchkey/rooms/files/storage/storage'
import type { S3Object } from './settings.ts'

/** Lifetime of a signed address, which is used at once. */
const SIGNATURE_SECONDS = 900
/** Time limit up to the first byte of an answer. A part of an upload is sent within it. */
const ANSWER_TIMEOUT_MS = 600_000
const TRIES = 4
const PAUSE_MS = 500

export interface S3Request {
  readonly method: 'GET' | 'HEAD' | 'PUT' | 'POST' | 'DELETE'
  readonly query?: Readonly<Record<string, string>>
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: ArrayBuffer | string
}

/**
 * Sends a request about an object. One that fails on the way, or that the storage cannot answer at the
 * moment, is sent again. Throws `FileStorageUnavailable` unless its status is below 400 or 404.
 */
export async function sendToS3(object: S3Object, request: S3Request): Promise<Response> {
  for (let tries = 1; ; tries++)
    try {
      const response = await sendOnce(object, request)
      if (response.status < 400 || response.status === 404) return response
      throw new FileStorageUnavailable(
        `S3: status ${response.status}${codeOf(await response.text())} for ${object.bucket}/${object.key}`,
        { cause: response.status },
      )
    } catch (error) {
      const { cause } = error as { cause?: unknown }
      if (tries === TRIES || (typeof cause === 'number' && cause < 500)) throw error
      await Bun.sleep(PAUSE_MS * 2 ** tries)
    }
}

async function sendOnce(object: S3Object, { method, query, headers, body }: S3Request): Promise<Response> {
  const abort = new AbortController()
  const timer = setTimeout(() => abort.abort(), ANSWER_TIMEOUT_MS)
  try {
    return await fetch(signUrl(object, method, query ?? {}, new Date()), {
      method,
      redirect: 'error',
      signal: abort.signal,
      ...(headers && { headers }),
      ...(body !== undefined && { body }),
    })
  } catch (error) {
    const { code = '', message } = error as Error & { code?: string }
    throw new FileStorageUnavailable(`S3: ${code} ${message}`, { cause: error })
  } finally {
    clearTimeout(timer)
  }
}

/** The reason that an answer names in XML, after a blank. It contains no secret. */
export function codeOf(xml: string): string {
  const code = /<Code>(\w+)<\/Code>/.exec(xml)?.[1]
  return code === undefined ? '' : ` ${code}`
}

/**
 * Returns the address of a request with its signature (AWS Signature Version 4, query string). Bun's
 * client signs no request about a part of an upload.
 */
export function signUrl(
  { bucket, key, endpoint, region, accessKeyId, secretAccessKey }: S3Object,
  method: string,
  query: Readonly<Record<string, string>>,
  now: Date,
): URL {
  const url = new URL(endpoint ?? `https://s3.${region}.amazonaws.com`)
  url.pathname = `${url.pathname.replace(/\/$/, '')}/${bucket}/${key}`
  const time = now.toISOString().replaceAll(/[-:]|\.\d+/g, '')
  const scope = [time.slice(0, 8), region, 's3', 'aws4_request']
  const parameters = Object.entries({
    ...query,
    'X-Amz-Algorithm': 'AWS4-HMAC-SHA256',
    'X-Amz-Credential': [accessKeyId, ...scope].join('/'),
    'X-Amz-Date': time,
    'X-Amz-Expires': String(SIGNATURE_SECONDS),
    'X-Amz-SignedHeaders': 'host',
  })
    .map(([name, value]) => `${escape(name)}=${escape(value)}`)
    .toSorted()
    .join('&')
  const canonical = [method, url.pathname, parameters, `host:${url.host}`, '', 'host', 'UNSIGNED-PAYLOAD']
  const hash = new Bun.CryptoHasher('sha256').update(canonical.join('\n')).digest('hex')
  const text = ['AWS4-HMAC-SHA256', time, scope.join('/'), hash].join('\n')
  const signingKey = scope.reduce<string | Buffer>(
    (secret, part) => createHmac('sha256', secret).update(part).digest(),
    `AWS4${secretAccessKey}`,
  )
  const signature = createHmac('sha256', signingKey).update(text).digest('hex')
  url.search = `${parameters}&X-Amz-Signature=${signature}`
  return url
}

/** Percent-encodes all but the unreserved characters (RFC 3986). */
function escape(text: string): string {
  return encodeURIComponent(text).replaceAll(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  )
}
