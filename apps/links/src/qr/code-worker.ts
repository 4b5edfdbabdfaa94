import { platform, setPriority } from 'node:os'
import { type CodeOptions, type CodeReply, createCode } from './create-code.ts'

// Draws QR codes and reads them back in a thread: a large one takes as long as thousands of redirects.

export type WorkerReply = CodeReply | { error: string }

declare const self: Worker

/** A tenth of the share of other threads on busy processors: visitors come first. */
const NICENESS = 10

// Only Linux applies this to the thread; other systems apply it to the process.
if (platform() === 'linux') setPriority(0, NICENESS)

async function answer(options: CodeOptions): Promise<WorkerReply> {
  try {
    return await createCode(options)
  } catch (error) {
    return { error: (error as Error).message }
  }
}

self.addEventListener('message', ({ data }: MessageEvent<CodeOptions>) => {
  void answer(data).then((reply) => self.postMessage(reply))
})
