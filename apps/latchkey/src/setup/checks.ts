// What setup tries for real, before it writes and on a running server.
import { readFileSync } from 'node:fs'
import { type Finding, fail, ok } from '@latchkey/doctor/finding'
import { checkConditions } from '@latchkey/rooms/doctor/external-checks'
import { readSettings as readRoomsSettings } from '@latchkey/rooms/settings/settings'
import type { Answers } from './answers.ts'
import { findProgram } from './machine.ts'
import {
  type PortCheck,
  answersHealthy,
  checkCertificate,
  checkName,
  checkPort,
  serverOnPort80,
} from './network-checks.ts'
import { type Machine, type Plan, type ServiceName, portOf, secretEnv } from './plan.ts'
import { checkIdentityProvider } from './provider-checks.ts'

/** The path of the health check of each service. */
export const HEALTH_PATHS: Readonly<Record<ServiceName, string>> = {
  links: '/_/health',
  rooms: '/api/health',
}

export const servesAt = (service: ServiceName, origin: string): Promise<boolean> =>
  answersHealthy(origin + HEALTH_PATHS[service])

/** Checks names, ports, certificates, the proxy and the provider, one after the other. */
export async function* checkEnvironment(
  answers: Answers,
  machine: Machine,
  plan: Plan,
): AsyncGenerator<Finding> {
  yield* checkNames(answers)
  yield* checkPorts(answers, machine)
  yield* await checkCertificates(answers)
  yield* checkProxy(answers, machine)
  yield* checkProvider(answers, plan)
}

export async function* checkNames({ links, rooms }: Answers): AsyncGenerator<Finding> {
  yield await checkName(links, () => servesAt('links', `https://${links}`))
  yield await checkName(rooms, () => servesAt('rooms', `https://${rooms}`))
}

/** Certificates of hosts that answer over HTTPS. */
export async function checkCertificates({ links, rooms }: Answers): Promise<Finding[]> {
  const findings = await Promise.all([links, rooms].map((host) => checkCertificate(host)))
  return findings.filter((finding) => finding !== undefined)
}

const PROXY_REMEDY = 'stop it, or choose it with PROXY'

async function* checkPorts(answers: Answers, { install, proxy }: Machine): AsyncGenerator<Finding> {
  const checks: PortCheck[] = []
  if (proxy !== 'none')
    for (const port of [80, 443])
      checks.push({
        port, // A proxy that has no certificate yet says nothing at 443.
        isOurs: async () => isServer(await serverOnPort80(), proxy),
        remedy: PROXY_REMEDY,
      })
  // In containers, Caddy alone has ports of this machine.
  if (install === 'systemd' || proxy !== 'caddy')
    for (const service of ['links', 'rooms'] as const) {
      const port = portOf(answers, service)
      checks.push({
        port,
        address: '127.0.0.1',
        isOurs: () => servesAt(service, `http://127.0.0.1:${port}`),
        remedy: `stop it, or choose another port with ${service.toUpperCase()}_PORT`,
      })
    }
  for (const check of checks) yield await checkPort(check)
}

/** Whether a proxy names itself so. Traefik names itself nowhere. */
function isServer(header: string, proxy: Machine['proxy']): boolean {
  return proxy === 'traefik' ? header === '' : header.toLowerCase().startsWith(proxy)
}

/** The proxy, and files that its configuration names. */
function* checkProxy(
  { certificate, certificateKey }: Answers,
  { install, proxy, root }: Machine,
): Generator<Finding> {
  const name = 'proxy'
  if (proxy === 'none' || root !== '/' || install === 'compose') return
  const program = findProgram(proxy)
  yield program === null
    ? fail(name, `${proxy} is not installed: install it`)
    : ok(name, `${proxy} is ${program}`)
  for (const path of [certificate, certificateKey]) {
    if (path === null) continue
    const problem = findReadProblem(path)
    if (problem !== undefined) yield fail('certificate', `${path} cannot be read (${problem})`)
  }
}

function findReadProblem(path: string): string | undefined {
  try {
    readFileSync(path)
    return undefined
  } catch (error) {
    return String((error as NodeJS.ErrnoException).code)
  }
}

/** Tries the provider with the planned settings. */
async function* checkProvider(answers: Answers, { env, secrets }: Plan): AsyncGenerator<Finding> {
  const settings = readRoomsSettings({ ...env.rooms, ...secretEnv(secrets, 'rooms') })
  if (answers.authority !== null) {
    const problem = findReadProblem(answers.authority)
    if (problem !== undefined)
      yield fail('provider', `AUTHORITY ${answers.authority} cannot be read (${problem})`)
  }
  yield checkConditions(settings)
  yield* await checkIdentityProvider(settings)
}
