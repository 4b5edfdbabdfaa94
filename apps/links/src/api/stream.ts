interface StreamCallbacks {
  /** Called with the error that interrupts the text. */
  onError(error: unknown): void
  /** Called when the reader leaves, perhaps before the first chunk. */
  onCancel?(): Promise<void>
}

/** Streams text at the speed of the reader. The chunks end when the reader leaves. */
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
          // The reader may have left while the chunk was being created.
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
