/** The lines of a text in UTF-8. A line that does not end is left out. Throws at one of more characters. */
export async function* linesOf(
  source: AsyncIterable<Uint8Array>,
  maxLength = Number.MAX_SAFE_INTEGER,
): AsyncGenerator<string, void, void> {
  const decoder = new TextDecoder()
  let rest = ''
  for await (const piece of source) {
    const lines = (rest + decoder.decode(piece, { stream: true })).split('\n')
    rest = lines.pop() ?? ''
    yield* lines
    if (rest.length > maxLength) throw new RangeError(`A line has more than ${maxLength} characters`)
  }
}
