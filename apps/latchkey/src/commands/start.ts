import { parseArgs } from 'node:util'
import type { Running } from '@latchkey/links/main'
import type { Settings } from '@latchkey/links/settings'
import { type Command, CommandFailure } from '../command.ts'
import { say } from '../output.ts'
import { currentSettings } from '../surroundings.ts'

/** Everything there is, for a person at a terminal. */
export const start: Command = {
  words: ['start'],
  takes: '',
  summary: 'Run everything, and say what to open next',
  async run(args) {
    parseArgs({ args, options: {} })
    const settings = currentSettings()
    const url = await serve(settings)
    say(whatNext(settings, url))
    return 0
  },
}

/** The Links service alone; stdout carries nothing but its log. */
export const links: Command = {
  words: ['links'],
  takes: '',
  summary: 'Run the Links service alone',
  async run(args) {
    parseArgs({ args, options: {} })
    await serve(currentSettings())
    return 0
  },
}

/** Starts the service, to end with a signal; returns its origin. */
async function serve(settings: Settings): Promise<string> {
  // Loaded here, so that the other commands do not wait for a server they do not start.
  const { startLinks, stopOnSignals } = await import('@latchkey/links/main')
  try {
    // Before it listens, so that a signal that comes with the first log line stops it in order as well.
    const starting = Promise.withResolvers<Running>()
    stopOnSignals(async () => (await starting.promise).stop())
    const running = await startLinks(settings)
    starting.resolve(running)
    return running.url
  } catch (error) {
    throw listenFailure(settings, error) ?? error
  }
}

function listenFailure({ host, port }: Settings, error: unknown): CommandFailure | undefined {
  if (!(error instanceof Error) || !('syscall' in error) || error.syscall !== 'listen') return undefined
  const code = 'code' in error ? error.code : undefined
  if (code === 'EADDRINUSE')
    return new CommandFailure(
      `Port ${port} of ${host} is in use: stop what uses it, or set LINKS_PORT to another`,
    )
  if (code === 'EADDRNOTAVAIL')
    return new CommandFailure(`${host} is no address of this machine: check LINKS_HOST`)
  if (code === 'EACCES')
    return new CommandFailure(`Port ${port} is not for this user: set LINKS_PORT to one above 1023`)
  return new CommandFailure(`Port ${port} of ${host} cannot be listened on (${String(code)})`)
}

const EVERY_ADDRESS = new Set(['0.0.0.0', '[::]', '127.0.0.1', '[::1]'])

function whatNext({ access, baseUrl }: Settings, url: string): string {
  const local = new URL(url)
  if (EVERY_ADDRESS.has(local.hostname)) local.hostname = 'localhost'
  const shown = baseUrl ?? local.origin
  // In this mode the admin side opens for this machine alone, whatever the public address is.
  const admin = access === 'loopback' ? local.origin : shown
  const identity = access === 'loopback' ? 'admin@localhost' : 'you@example.com'
  return `
Latchkey is running. Press Ctrl+C to stop it.

  Short links    ${shown}
  Admin          ${admin}/_/admin/dashboard
  API reference  ${shown}/_/api/docs

Make an API key, which is shown this once:

  npx latchkey keys create --identity ${identity} --scope create,read --title "First key"
`
}
