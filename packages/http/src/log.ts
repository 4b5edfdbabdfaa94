export type Level = 'info' | 'warn' | 'error'

export type Fields = Readonly<Record<string, unknown>>

/** Writes one line of the level. Never throws. */
export type Log = Readonly<Record<Level, (message: string, fields?: Fields) => void>>

/**
 * Creates a log of JSON lines: `time` (ISO 8601, UTC), `level`, `message`, then the fields. Errors
 * are written with name, message, stack, code and cause. Headers, cookies and whole requests and
 * responses are never written. Logging never throws: a value that JSON cannot represent is replaced
 * by its type.
 *
 * `write` receives one line with its line end (default: stdout). `now` is in milliseconds since
 * 1970.
 *
 * @example
 * const log = createLog()
 * log.error('Cannot store the click', { requestId, error })
 */
export function createLog({
  write = (line: string) => void process.stdout.write(line),
  now = () => Date.now(),
} = {}): Log {
  const at = (level: Level) => (message: string, fields?: Fields) => {
    try {
      const head = { time: new Date(now()).toISOString(), level, message }
      write(`${toJson(head, fields)}\n`)
    } catch {
      // A full disk or a closed pipe must not fail the request that is being logged.
    }
  }
  return { info: at('info'), warn: at('warn'), error: at('error') }
}

function toJson(head: Fields, fields: Fields = {}): string {
  const names = Object.keys(fields)
  // A fast path, because nearly all fields are plain and every request writes a line.
  if (
    names.length > 0 &&
    names.every((name) => isPlain(fields[name]) && !SENSITIVE.test(name) && !(name in head))
  )
    return `${JSON.stringify(head).slice(0, -1)},${JSON.stringify(fields).slice(1)}`
  // The head is spread twice: it comes first, and no field replaces it.
  const line = { ...head, ...fields, ...head }
  const entries = Object.entries(line).map(([name, value]) => [name, writable(name, value)])
  return JSON.stringify(Object.fromEntries(entries))
}

function writable(name: string, value: unknown): unknown {
  if (isPlain(value)) return SENSITIVE.test(name) ? HIDDEN : value
  try {
    return JSON.parse(JSON.stringify({ [name]: value }, replace))[name]
  } catch {
    return `[unwritable ${typeof value}]`
  }
}

function isPlain(value: unknown): boolean {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
}

const HIDDEN = '[hidden]'
const SENSITIVE = /^(?:headers|authorization|cookie|set-cookie)$/i

// `this` holds the value before any toJSON(), which would already have turned Headers into a plain
// object.
function replace(this: unknown, key: string, value: unknown): unknown {
  const original: unknown = (this as Record<string, unknown>)[key]
  if (original instanceof Headers || original instanceof Request || original instanceof Response)
    return `[${original.constructor.name}]`
  if (SENSITIVE.test(key)) return HIDDEN
  if (original instanceof Error) return describe(original)
  return typeof value === 'bigint' ? String(value) : value
}

function describe(error: Error): Fields {
  const code = 'code' in error ? error.code : undefined
  // Connection failures arrive as an AggregateError without its own message.
  const errors: unknown = error instanceof AggregateError ? error.errors : undefined
  return { name: error.name, message: error.message, code, stack: error.stack, cause: error.cause, errors }
}
