import { basename } from 'node:path'
import { parseArgs } from 'node:util'
import { declarations as linksDeclarations } from '@latchkey/links/settings/declarations'
import type { Settings as LinksSettings } from '@latchkey/links/settings/settings'
import { LOOPBACK, demoPort } from '@latchkey/rooms/settings/demo'
import { declarations as roomsDeclarations } from '@latchkey/rooms/settings/declarations'
import type { Settings as RoomsSettings } from '@latchkey/rooms/settings/settings'
import { type Command, CommandFailure } from '../command.ts'
import { startDemoRooms } from '../demo-rooms.ts'
import { printLine } from '../output.ts'
import { productUrls } from '../product-urls.ts'
import { stopOnSignals } from '../stop-on-signals.ts'
import { currentRoomsSettings, currentSettings, readAllSettings } from '../environment.ts'

interface Running {
  url: string
  stop(): Promise<void>
}

/** Both services, for a person at a terminal. */
export const start: Command = {
  words: ['start'],
  synopsis: '',
  summary: 'Run Links and Rooms and print the URLs to open',
  details: `Without AUTH_PROVIDER, users sign in to Rooms at a demo identity provider on this machine, as any demo user.`,
  settings: { Links: linksDeclarations, Rooms: roomsDeclarations },
  async run(args) {
    parseArgs({ args, options: {} })
    const settings = readAllSettings()
    const { linksUrl, roomsUrl } = productUrls(settings.links, settings.rooms, demoPort(process.env))
    const [linksRunning, roomsRunning] = await serve([
      () => serveLinks({ ...settings.links, roomsUrl }),
      () => (settings.rooms === 'demo' ? serveDemo(linksUrl) : serveRooms({ ...settings.rooms, linksUrl })),
    ])
    printLine(nextSteps(settings, linksRunning?.url ?? '', roomsRunning?.url ?? ''))
    return 0
  },
}

/** The Links service alone. Stdout contains only its log. */
export const links: Command = {
  words: ['links'],
  synopsis: '',
  summary: 'Run the Links service alone',
  settings: { Links: linksDeclarations },
  async run(args) {
    parseArgs({ args, options: {} })
    const settings = currentSettings()
    await serve([() => serveLinks(settings)])
    return 0
  },
}

/** The Rooms service alone. It requires an identity provider. */
export const rooms: Command = {
  words: ['rooms'],
  synopsis: '',
  summary: 'Run the Rooms service alone',
  settings: { Rooms: roomsDeclarations },
  async run(args) {
    parseArgs({ args, options: {} })
    const settings = currentRoomsSettings()
    await serve([() => serveRooms(settings)])
    return 0
  },
}

/** Several iterations of the event loop, in milliseconds. */
const PAUSE_MS = 25

/**
 * Starts services one after the other. A signal stops all of them, and so does one that cannot
 * start.
 */
async function serve(starts: readonly (() => Promise<Running>)[]): Promise<Running[]> {
  const running: Running[] = []
  const stopAll = async () => {
    await Promise.all(running.splice(0).map((service) => service.stop()))
  }
  // Installed before any service listens: a signal right after the first log line stops it in
  // order, too.
  const starting = Promise.withResolvers<void>()
  stopOnSignals(async () => {
    await starting.promise
    await stopAll()
  })
  try {
    for (const begin of starts) {
      running.push(await begin())
      // Clients that already wait for this service get their answers before the next one
      // loads.
      await Bun.sleep(PAUSE_MS)
    }
    starting.resolve()
    return [...running]
  } catch (error) {
    await stopAll()
    throw error
  }
}

// The servers are imported here, because the other commands do not need them.

async function serveLinks(settings: LinksSettings): Promise<Running> {
  const { startLinks } = await import('@latchkey/links/main')
  return listening(startLinks(settings), settings, 'LINKS')
}

async function serveRooms(settings: RoomsSettings): Promise<Running> {
  const { startRooms } = await import('@latchkey/rooms/main')
  return listening(startRooms(settings), settings, 'ROOMS')
}

function serveDemo(linksUrl: string | null): Promise<Running> {
  const port = demoPort(process.env)
  return listening(startDemoRooms(process.env, linksUrl), { host: LOOPBACK, port }, 'ROOMS')
}

async function listening(
  started: Promise<Running>,
  address: { host: string; port: number },
  prefix: string,
): Promise<Running> {
  try {
    return await started
  } catch (error) {
    throw listenFailure(address, prefix, error) ?? error
  }
}

function listenFailure(
  { host, port }: { host: string; port: number },
  prefix: string,
  error: unknown,
): CommandFailure | undefined {
  if (!(error instanceof Error) || !('syscall' in error) || error.syscall !== 'listen') return undefined
  const code = 'code' in error ? error.code : undefined
  if (code === 'EADDRINUSE')
    return new CommandFailure(
      `Port ${port} of ${host} is in use: stop the process that uses it, or set ${prefix}_PORT to another port`,
    )
  if (code === 'EADDRNOTAVAIL')
    return new CommandFailure(`${host} is not an address of this machine: check ${prefix}_HOST`)
  if (code === 'EACCES')
    return new CommandFailure(
      `This user may not listen on port ${port}: set ${prefix}_PORT to a port above 1023`,
    )
  return new CommandFailure(`Cannot listen on port ${port} of ${host} (${String(code)})`)
}

/** The name by which users call this command: a path if the executable is not on the PATH. */
function ownName(): string {
  const { execPath } = process
  const name = basename(execPath)
  if (!Bun.isStandaloneExecutable) return 'npx latchkey'
  return Bun.which(name) === execPath ? name : execPath
}

const EVERY_ADDRESS = new Set(['0.0.0.0', '[::]', '127.0.0.1', '[::1]'])

function nextSteps(
  { links: settings, rooms: roomsSettings }: { links: LinksSettings; rooms: RoomsSettings | 'demo' },
  linksUrl: string,
  roomsUrl: string,
): string {
  const { access, baseUrl } = settings
  const local = new URL(linksUrl)
  if (EVERY_ADDRESS.has(local.hostname)) local.hostname = 'localhost'
  const origin = baseUrl ?? local.origin
  // In this mode the admin side is open to this machine only, regardless of the public address.
  const admin = access === 'loopback' ? local.origin : origin
  const identity = access === 'loopback' ? 'admin@localhost' : 'you@example.com'
  const isDemo = roomsSettings === 'demo'
  const lobby = isDemo ? roomsUrl : roomsSettings.allowedHosts[0]
  return `
Latchkey is running. Press Ctrl+C to stop it.

  Short URLs     ${origin}
  Admin          ${admin}/_/admin/dashboard
  API reference  ${origin}/_/api/docs
  Rooms          ${lobby}${isDemo ? '  (demo: sign in as alice, bob or carol, without a password)' : ''}

Create an API key, which is shown only once:

  ${ownName()} keys create --identity ${identity} --scope create,read --title "First key"
`
}
