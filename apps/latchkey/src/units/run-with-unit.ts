import { accessSync, constants, existsSync } from 'node:fs'
import { join } from 'node:path'
import { SERVICES, type ServiceName } from '../backup/manifest.ts'
import { type Command, CommandFailure } from '../command.ts'
import { printError } from '../output.ts'
import { type Unit, readUnit, systemctl } from './unit.ts'

/** The settings of a package or of setup, which only root can read. */
const SETTINGS = '/etc/latchkey'

/**
 * Runs a command about the data of services that systemd runs: with their settings, and as their user,
 * so that files keep their owner. Returns its exit code; undefined if the command is to run in this
 * process. Throws `CommandFailure` for a person who may not read the settings.
 */
export async function runWithUnit(command: Command, args: readonly string[]): Promise<number | undefined> {
  // From a clone, commands are about the instance in its folder.
  if (!Bun.isStandaloneExecutable || !existsSync(SETTINGS)) return undefined
  const services = servicesOf(command, args)
  if (services.length === 0 || services.some(isNamed)) return undefined
  if (process.getuid?.() !== 0) return requireOwnInstance(services, args)
  const units = services.map(readUnit).filter((unit) => unit !== undefined)
  if (units.length === 0) return undefined
  let child: Bun.Subprocess | undefined
  const forward = (signal: NodeJS.Signals) => child?.kill(signal)
  // From before the services stop until they run again: no signal may leave them stopped. A terminal
  // sends Ctrl+C to the command as well.
  const handlers = [
    ['SIGINT', () => {}],
    ['SIGTERM', forward],
    ['SIGHUP', forward],
  ] as const
  for (const [signal, handle] of handlers) process.on(signal, handle)
  try {
    const start = command.needsStopped ? stopUnits(services) : () => {}
    try {
      child = spawn(units, args)
      return await child.exited
    } finally {
      start()
    }
  } finally {
    for (const [signal, handle] of handlers) process.off(signal, handle)
  }
}

/** The services of this machine that a command is about, and of these the one that an option names. */
function servicesOf({ services = [] }: Command, args: readonly string[]): readonly ServiceName[] {
  if (args.some((arg) => /^--server(=|$)/.test(arg))) return []
  const named = args.flatMap((arg, at) => {
    if (args[at - 1] === '--service') return [arg]
    return arg.startsWith('--service=') ? [arg.slice('--service='.length)] : []
  })
  return named.length === 0 ? services : services.filter((service) => named.includes(service))
}

const databaseSetting = (service: ServiceName) => `${service.toUpperCase()}_DATABASE_URL`

/** Whether the environment has a database of its own, such as that of the command this one starts. */
const isNamed = (service: ServiceName) =>
  Boolean(process.env[databaseSetting(service)] || process.env[`${databaseSetting(service)}_FILE`])

/** An instance in the folder of its owner, as `latchkey start` creates it, needs no settings. */
function requireOwnInstance(services: readonly ServiceName[], args: readonly string[]): undefined {
  if (isReadable(SETTINGS) || services.some((service) => existsSync(join('data', `${service}.db`)))) return
  throw new CommandFailure(
    `Only root can read the settings of this machine's services: sudo latchkey ${args.join(' ')}. There is no instance of your own in this folder (./data), and ${services.map(databaseSetting).join(' or ')} is not set`,
  )
}

function isReadable(path: string): boolean {
  try {
    accessSync(path, constants.R_OK)
    return true
  } catch {
    return false
  }
}

/** Runs this program again with the settings and as the user of these units. */
function spawn(units: readonly Unit[], args: readonly string[]): Bun.Subprocess {
  const { user, group, folder } = requireOneUser(units)
  return Bun.spawn(
    ['setpriv', `--reuid=${user}`, `--regid=${group}`, '--init-groups', '--', process.execPath, ...args],
    {
      stdio: ['inherit', 'inherit', 'inherit'],
      env: { ...mergeEnvironments(units), ...process.env, HOME: folder, USER: user, LOGNAME: user },
    },
  )
}

function requireOneUser(units: readonly Unit[]): Unit {
  const [first] = units
  if (first && units.every(({ user }) => user === first.user)) return first
  const users = units.map(({ service, user }) => `${service} as ${user}`).join(', ')
  throw new CommandFailure(`The services run as different users (${users}): name one with --service`)
}

/** The settings of all units. Says which setting differs, of those that both services have. */
function mergeEnvironments(units: readonly Unit[]): Record<string, string> {
  const merged: Record<string, string> = {}
  for (const { service, environment } of units.toReversed())
    for (const [name, value] of Object.entries(environment)) {
      if (merged[name] !== undefined && merged[name] !== value)
        printError(`${name} differs between the services: this command uses that of ${service}`)
      merged[name] = value
    }
  return merged
}

/** Stops the units that run, with the sockets that would start them again. Returns how to start them. */
function stopUnits(services: readonly ServiceName[]): () => void {
  const running = SERVICES.filter((service) => services.includes(service))
    .flatMap((service) => [`latchkey-${service}.socket`, `latchkey-${service}.service`])
    .filter(
      (unit) => !/^(inactive|failed)$/m.test(systemctl('show', unit, '--property=ActiveState', '--value')),
    )
  if (running.length === 0) return () => {}
  const start = () => {
    printError(`Starting ${running.join(', ')}`)
    systemctl('start', ...running)
  }
  printError(`Stopping ${running.join(', ')}`)
  try {
    systemctl('stop', ...running)
  } catch (error) {
    // Some may have stopped.
    start()
    throw error
  }
  return start
}
