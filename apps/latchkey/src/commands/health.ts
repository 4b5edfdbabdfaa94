import { get } from 'node:http'
import { parseArgs } from 'node:util'
import { declarations as links } from '@latchkey/links/settings/declarations'
import { declarations as rooms } from '@latchkey/rooms/settings/declarations'
import { parseSettings } from '@latchkey/settings/settings'
import { type Command, requireChoice } from '../command.ts'
import { printLine } from '../output.ts'

/** Less than the timeout of health checks in container engines. */
const ANSWER_WITHIN_MS = 4_000

const SERVICES = ['links', 'rooms'] as const
type Service = (typeof SERVICES)[number]
const PATHS: Readonly<Record<Service, string>> = { links: '/_/health', rooms: '/api/health' }

export const health: Command = {
  words: ['health'],
  services: ['links', 'rooms'],
  synopsis: '[--service links|rooms]',
  summary: 'Check whether the running services are healthy',
  details: `Checks both services, or the one you name, on this machine, at the host and port in the settings.
The exit code is 1 if a service is unhealthy or does not answer within ${ANSWER_WITHIN_MS / 1000} seconds.`,
  async run(args) {
    const { values } = parseArgs({ args, options: { service: { type: 'string' } } })
    const services =
      values.service === undefined ? SERVICES : [requireChoice('service', SERVICES, values.service)]
    const answers = await Promise.all(services.map(checkHealth))
    for (const [at, name] of services.entries()) printLine(`${name}: ${answers[at]}`)
    return answers.every((answer) => answer === 'ok') ? 0 : 1
  },
}

/** Returns `ok`, or the problem. */
async function checkHealth(service: Service): Promise<string> {
  const { host, port } =
    service === 'links'
      ? parseSettings({ host: links.host, port: links.port }, process.env)
      : parseSettings({ host: rooms.host, port: rooms.port }, process.env)
  const { promise, resolve } = Promise.withResolvers<string>()
  // Not `fetch`, which would use the proxy that HTTP_PROXY names.
  const request = get({ host: addressOf(host), port, path: PATHS[service] }, ({ statusCode }) =>
    resolve(statusCode === 200 ? 'ok' : `answers ${statusCode}`),
  )
  request.on('error', ({ message }) => resolve(message))
  // A timeout of the request would restart with each byte.
  const timer = setTimeout(
    () => resolve(`no answer within ${ANSWER_WITHIN_MS / 1000} seconds`),
    ANSWER_WITHIN_MS,
  )
  const answer = await promise
  clearTimeout(timer)
  request.destroy()
  return answer
}

/** The loopback address for a service that listens on all addresses; otherwise its host. */
function addressOf(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1'
  return host === '::' || host === '[::]' ? '::1' : host.replace(/^\[(.*)\]$/, '$1')
}
