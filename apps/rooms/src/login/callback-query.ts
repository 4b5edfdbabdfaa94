import { LoginFailure } from './provider.ts'

/** What the provider's answer says, by way of the browser. */
export interface CallbackQuery {
  state: string | null
  code: string | null
  iss: string | undefined
  error: string | null
}

const MAX_BYTES = 8192
const ONCE = new Set(['code', 'state', 'iss', 'error'])

/** Reads the query of a callback, `?` included (R6.1): what could be read in two ways is refused. */
export function parseCallbackQuery(search: string): CallbackQuery {
  if (Buffer.byteLength(search) > MAX_BYTES) throw malformed('query too long')
  const found = new Map<string, string>()
  for (const pair of search.slice(1).split('&')) {
    const [name = '', ...rest] = pair.split('=')
    const [key, value] = [decode(name), decode(rest.join('='))]
    if (!ONCE.has(key)) continue
    if (found.has(key)) throw malformed('repeated parameter')
    // Bun leaves this mark where a byte was that is no UTF-8, and none of the four has it by itself.
    if (value.includes('\uFFFD')) throw malformed('bad encoding')
    found.set(key, value)
  }
  return {
    state: found.get('state') ?? null,
    code: found.get('code') ?? null,
    iss: found.get('iss'),
    error: found.get('error') ?? null,
  }
}

/** URLSearchParams would replace bad UTF-8 in silence. */
function decode(text: string): string {
  let decoded: string
  try {
    decoded = decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    throw malformed('bad encoding')
  }
  if (decoded.includes('\0')) throw malformed('NUL in the query')
  return decoded
}

function malformed(reason: string): LoginFailure {
  return new LoginFailure('state_invalid', reason)
}
