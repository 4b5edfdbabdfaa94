import { mkdtempSync, rmSync } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'

/**
 * Starts a DNS server on a port of this machine that resolves every host to 127.0.0.1 and to no
 * other address.
 */
export async function serveDns(): Promise<{ server: string; close: () => void }> {
  const socket = await Bun.udpSocket({
    hostname: '127.0.0.1',
    socket: {
      data(self, question, port, address) {
        const end = question.indexOf(0, 12)
        const isA = question.readUInt16BE(end + 1) === 1
        const header = Buffer.from(question.subarray(0, 12))
        // Flags of a response, one question, and the number of answer records.
        header.set([0x81, 0x80, 0, 1, 0, isA ? 1 : 0, 0, 0, 0, 0], 2)
        const record = [0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4, 127, 0, 0, 1]
        const answer = [header, question.subarray(12, end + 5), Buffer.from(isA ? record : [])]
        self.send(Buffer.concat(answer), port, address)
      },
    },
  })
  return { server: `127.0.0.1:${socket.port}`, close: () => socket.close() }
}

/**
 * Runs `work` while all threads that this process uses for files and for system name lookups are
 * busy.
 */
export async function withoutThreads<Result>(work: () => Promise<Result>): Promise<Result> {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-threads-'))
  const pipe = join(folder, 'pipe')
  if ((await Bun.spawn(['mkfifo', pipe]).exited) !== 0) throw new Error('mkfifo failed')
  // Each read waits for a writer.
  const readers: Promise<FileHandle>[] = []
  for (let each = 0; each < 4 * availableParallelism() + 4; each++) readers.push(open(pipe, 'r'))
  let held = true
  void Promise.race(readers).then(() => (held = false))
  try {
    const result = await work()
    if (!held) throw new Error('The threads were not held')
    return result
  } finally {
    const writer = Bun.spawn(['sh', '-c', `exec 3>'${pipe}'; read line`], { stdin: 'pipe' })
    for (const reader of await Promise.all(readers)) await reader.close()
    await writer.stdin.end()
    await writer.exited
    rmSync(folder, { recursive: true })
  }
}
