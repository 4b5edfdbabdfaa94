interface Ends {
  /** Hears what breaks the text off. */
  failed(error: unknown): void
  /** The reader has left, perhaps before the first piece. */
  ended?(): Promise<void>
}

/** Text as fast as it is read and no faster; the pieces end when the reader leaves. */
export function streamText(pieces: AsyncGenerator<string>, ends: Ends): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder()
  let isRead = true
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const { done, value } = await pieces.next()
          // The reader may have left while the piece was made.
          if (!isRead) return
          if (done) controller.close()
          else controller.enqueue(encoder.encode(value))
        } catch (error) {
          ends.failed(error)
          controller.error(error)
        }
      },
      async cancel() {
        isRead = false
        await pieces.return(undefined)
        await ends.ended?.()
      },
    },
    { highWaterMark: 0 },
  )
}
