/** Whether an `Accept` header asks for PNG, and not for SVG any more than for that (L11). */
export function prefersPng(accept: string | null): boolean {
  const ranges = (accept ?? '').toLowerCase().split(',')
  const png = qualityOf('image/png', ranges)
  return png > 0 && png >= qualityOf('image/svg+xml', ranges)
}

/** 0 of a type that is not named; NaN where its quality cannot be read, so that no comparison holds. */
function qualityOf(type: string, ranges: readonly string[]): number {
  for (const range of ranges) {
    const [name, ...parameters] = range.split(';').map((part) => part.trim())
    if (name === type) return Number(parameters.find((each) => each.startsWith('q='))?.slice(2) ?? 1)
  }
  return 0
}
