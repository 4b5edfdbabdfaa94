import { LoginFailure } from './provider.ts'

/** Parameters of the response that the provider sends through the browser. */
export interface CallbackQuery {
  state: string | null
  code: string | null
  iss: string | undefined
  error: string | null
}

const MAX_BYTES = 8192
const ONCE = new Set(['code', 'state', 'iss', 'error'])

/** Parses the query of a callback, including `?` (R6.1). Ambiguous queries are refused. */
export function parseCallbackQuery(search: string): CallbackQuery {
  if (Buffer.byteLength(search) > MAX_BYTES) throw malformedFailure('query too long')
  const values = new Map<string, string>()
  for (const pair of search.slice(1).split('&')) {
    const [name = '', ...rest] = pair.split('=')
    const [key, value] = [decode(name), decode(rest.join('='))]
    if (!ONCE.has(key)) continue
    if (values.has(key)) throw malformedFailure('repeated parameter')
    // Bun decodes an invalid UTF-8 byte to this character, which valid values never contain.
    if (value.includes('\uFFFD')) throw malformedFailure('bad encoding')
    values.set(key, value)
  }
  return {
    state: values.get('state') ?? null,
    code: values.get('code') ?? null,
    iss: values.get('iss'),
    error: values.get('error') ?? null,
  }
}

/** Throws, unlike URLSearchParams, which replaces invalid UTF-8 silently. */
function decode(text: string): string {
  let decoded: string
  try {
    decoded = decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    throw malformedFailure('bad encoding')
  }
  if (decoded.includes('\0')) throw malformedFailure('NUL in the query')
  return decoded
}

function malformedFailure(reason: string): LoginFailure {
  return new LoginFailure('state_invalid', reason)
}
