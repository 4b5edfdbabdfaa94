export type DialectName = 'sqlite' | 'postgres'

/** Engine of a database URL: `sqlite:PATH` or `postgres://…`. Throws a `TypeError` on anything else. */
export function dialectOf(url: string): DialectName {
  if (url.startsWith('sqlite:')) return 'sqlite'
  if (/^postgres(ql)?:\/\//.test(url)) return 'postgres'
  throw new TypeError('A database URL starts with sqlite: or postgres://')
}

/** Path of a `sqlite:PATH` URL. */
export function sqlitePath(url: string): string {
  return url.slice('sqlite:'.length)
}
