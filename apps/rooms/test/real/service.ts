import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { LATCHKEY } from '../../../../scripts/latchkey-command.ts'

/** Generous: a machine that runs many things at once starts a process slowly. */
const START_WITHIN_MS = 120_000

export interface Service {
  readonly pid: number
  /** The whole log. */
  readonly log: string
  /** Runs another command in the same folder, with the same settings. */
  command(words: string[]): Promise<{ code: number; out: string; err: string }>
  stop(): Promise<void>
  /** Kills the process, as a failure of its machine would. */
  kill(): Promise<void>
}

/**
 * `latchkey rooms` as a separate process, with these settings and no others. It is listening when
 * this returns.
 */
export async function startService(settings: Record<string, string>): Promise<Service> {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-real-'))
  const child = run(['rooms'], folder, settings)
  const written = { log: '', complaints: '' }
  const listening = Promise.withResolvers<void>()
  const reading = Promise.all([
    collect(child.stdout, (piece) => {
      written.log += piece
      if (written.log.includes('"listening"')) listening.resolve()
    }),
    collect(child.stderr, (piece) => (written.complaints += piece)),
  ])
  const timer = setTimeout(() => child.kill('SIGKILL'), START_WITHIN_MS)
  void child.exited.then(() =>
    listening.reject(new Error(`Rooms does not start: ${written.complaints}${written.log}`)),
  )
  await listening.promise.finally(() => clearTimeout(timer))
  const end = async (signal: NodeJS.Signals) => {
    child.kill(signal)
    await child.exited
    await reading
    rmSync(folder, { recursive: true, force: true })
  }
  return {
    pid: child.pid,
    get log() {
      return written.log
    },
    async command(words) {
      const other = run(words, folder, settings)
      const [out, err, code] = await Promise.all([
        new Response(other.stdout).text(),
        new Response(other.stderr).text(),
        other.exited,
      ])
      return { code, out, err }
    },
    stop: () => end('SIGTERM'),
    kill: () => end('SIGKILL'),
  }
}

function run(words: string[], folder: string, settings: Record<string, string>) {
  return Bun.spawn([...LATCHKEY, ...words], {
    cwd: folder,
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
    env: { PATH: process.env['PATH'] ?? '', ...settings },
  })
}

async function collect(stream: ReadableStream<Uint8Array>, take: (piece: string) => void): Promise<void> {
  const decoder = new TextDecoder()
  for await (const piece of stream) take(decoder.decode(piece, { stream: true }))
}
