interface StreamCallbacks {
  /** Hears what breaks the text off. */
  onError(error: unknown): void
  /** The reader has left, perhaps before the first piece. */
  onCancel?(): Promise<void>
}

/** Text as fast as it is read and no faster; the pieces end when the reader leaves. */
export function streamText(
  chunks: AsyncGenerator<string>,
  callbacks: StreamCallbacks,
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder()
  let isRead = true
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const { done, value } = await chunks.next()
          // The reader may have left while the piece was made.
          if (!isRead) return
          if (done) controller.close()
          else controller.enqueue(encoder.encode(value))
        } catch (error) {
          callbacks.onError(error)
          controller.error(error)
        }
      },
      async cancel() {
        isRead = false
        await chunks.return(undefined)
        await callbacks.onCancel?.()
      },
    },
    { highWaterMark: 0 },
  )
}
