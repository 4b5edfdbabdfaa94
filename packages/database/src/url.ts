export type DialectName = 'sqlite' | 'postgres'

/**
 * Returns the engine of a database URL: `sqlite:PATH` or `postgres://…`. Throws a `TypeError` for
 * any other URL.
 */
export function dialectOf(url: string): DialectName {
  if (url.startsWith('sqlite:')) return 'sqlite'
  if (/^postgres(ql)?:\/\//.test(url)) return 'postgres'
  throw new TypeError('A database URL starts with sqlite: or postgres://')
}

/** Returns the path of a `sqlite:PATH` URL. */
export function sqlitePath(url: string): string {
  return url.slice('sqlite:'.length)
}
