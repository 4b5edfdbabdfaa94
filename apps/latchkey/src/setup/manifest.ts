// What setup wrote, by which it knows the files that someone changed.
import { hash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { CommandFailure } from '../command.ts'
import { z } from 'zod'

const Manifest = z.strictObject({
  /** Version of the setup that wrote the files. */
  version: z.string(),
  /** Where the services run, with the answers, but for secrets. */
  install: z.enum(['systemd', 'compose']),
  proxy: z.enum(['caddy', 'nginx', 'traefik', 'none']),
  answers: z.record(z.string(), z.string()),
  /** Names of settings whose secrets are in files of their own. */
  secrets: z.array(z.string()),
  /** By path: SHA-256 of the text that setup has for it, and of the one that was in it when it ended. */
  files: z.record(z.string(), z.strictObject({ proposed: z.string(), onDisk: z.string() })),
})
export type Manifest = z.output<typeof Manifest>

export const hashOf = (content: string | Uint8Array): string => hash('sha256', content, 'hex')

/** Undefined if there is none. Throws `CommandFailure` for one that setup did not write. */
export function readManifest(path: string): Manifest | undefined {
  const text = readIfPresent(path)
  if (text === undefined) return undefined
  const parsed = Manifest.safeParse(parseJson(text.toString('utf8')))
  if (!parsed.success)
    throw new CommandFailure(`${path} is damaged, or of another version: move it away, and run setup again`)
  return parsed.data
}

export function formatManifest(manifest: Manifest): string {
  return `${JSON.stringify(manifest, null, 2)}\n`
}

/** Undefined if there is no such file. Throws the other errors of the file system. */
export function readIfPresent(path: string): Buffer | undefined {
  try {
    return readFileSync(path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
