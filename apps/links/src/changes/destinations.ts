type Values = Readonly<Record<string, unknown>>

/** Where these values of a link lead: its URL, and every URL in its behaviour. */
export function destinationsOf(values: Values | null): URL[] {
  return [values?.['url'], ...textsIn(values?.['behaviour'])].flatMap((text) => {
    const url = typeof text === 'string' ? URL.parse(text) : null
    return url && /^https?:$/.test(url.protocol) ? [url] : []
  })
}

/** The hosts of destinations, with their ports, each once. */
export function hostsOf(destinations: readonly URL[]): string[] {
  return [...new Set(destinations.map(({ host }) => host))].toSorted()
}

function textsIn(value: unknown): unknown[] {
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [value]
}
