import { platform, setPriority } from 'node:os'
import { hashOnThisThread } from './argon2id.ts'

// Hashes and checks passwords of links in a thread beside those that wait for the disk.

export type PasswordRequest = { hash: string } | { verify: string; hash: string }
/** The hash of a password, or whether it is the right one. */
export type PasswordReply = { result: string | boolean } | { error: string }

declare const self: Worker

/** A tenth of the share of other threads on busy processors: visitors come first. */
const NICENESS = 10

// Only Linux applies this to the thread; other systems apply it to the process.
if (platform() === 'linux') setPriority(0, NICENESS)

function answer(request: PasswordRequest): PasswordReply {
  try {
    return {
      result:
        'verify' in request
          ? Bun.password.verifySync(request.verify, request.hash)
          : hashOnThisThread(request.hash),
    }
  } catch (error) {
    return { error: (error as Error).message }
  }
}

self.addEventListener('message', ({ data }: MessageEvent<PasswordRequest>) => {
  self.postMessage(answer(data))
})
