import { chmodSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import {
  SERVER_FOLDER,
  SERVER_PATH,
  SERVER_VERSION,
  checksumPath,
  hashFile,
} from '@latchkey/rooms/voice/livekit/local-server'
import { type Command, CommandFailure, requirePositionals } from '../command.ts'
import { printLine } from '../output.ts'

const MODULE = 'github.com/livekit/livekit-server/cmd/server'

const install: Command = {
  words: ['voice', 'install'],
  synopsis: '',
  summary: 'Build the LiveKit server for calls with Go, for ROOMS_LIVEKIT_SERVER=auto',
  details: `Builds version ${SERVER_VERSION} from its Go module, whose contents Go verifies, into ${SERVER_PATH}.
Its checksum is recorded beside it and checked at each start. Takes some minutes and needs Go and 2 GB of disk space.`,
  async run(args) {
    const { positionals } = parseArgs({ args, options: {}, allowPositionals: true })
    requirePositionals(positionals, [])
    const go = Bun.which('go')
    if (!go) throw new CommandFailure('Go is not installed: see https://go.dev/doc/install')
    mkdirSync(SERVER_FOLDER, { recursive: true })
    const folder = mkdtempSync(join(resolve(SERVER_FOLDER), 'build-'))
    try {
      printLine(`Building LiveKit ${SERVER_VERSION} ...`)
      const child = Bun.spawn([go, 'install', `${MODULE}@v${SERVER_VERSION}`], {
        env: { ...process.env, GOBIN: folder },
        stdin: 'ignore',
        stdout: 'inherit',
        stderr: 'inherit',
      })
      if ((await child.exited) !== 0) throw new CommandFailure('Go could not build it: see above')
      const built = join(folder, 'server')
      chmodSync(built, 0o755)
      const checksum = hashFile(built)
      writeFileSync(checksumPath(SERVER_PATH), `${checksum}  ${SERVER_PATH}\n`)
      renameSync(built, SERVER_PATH)
      printLine(`Installed ${SERVER_PATH} (SHA-256 ${checksum})`)
      return 0
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  },
}

export const voiceCommands: readonly Command[] = [install]
