/** True if an `Accept` header accepts PNG and does not rank SVG higher (L11). */
export function prefersPng(accept: string | null): boolean {
  const ranges = (accept ?? '').toLowerCase().split(',')
  const png = qualityOf('image/png', ranges)
  return png > 0 && png >= qualityOf('image/svg+xml', ranges)
}

/**
 * 0 for a type that is not listed; NaN for an unreadable quality, with which every comparison is
 * false.
 */
function qualityOf(type: string, ranges: readonly string[]): number {
  for (const range of ranges) {
    const [name, ...parameters] = range.split(';').map((part) => part.trim())
    if (name === type)
      return Number(parameters.find((parameter) => parameter.startsWith('q='))?.slice(2) ?? 1)
  }
  return 0
}
