// What has drifted on a running server since setup.
import { join } from 'node:path'
import { type Finding, fail, ok, warn } from '@latchkey/doctor/finding'
import { checkSettings } from '@latchkey/doctor/settings'
import { checkAdminSide } from '@latchkey/links/doctor/external-checks'
import { VERSION } from '@latchkey/links/api/version'
import * as linksSettings from '@latchkey/links/settings/settings'
import { checkConditions } from '@latchkey/rooms/doctor/external-checks'
import * as roomsSettings from '@latchkey/rooms/settings/settings'
import { CommandFailure } from '../command.ts'
import { type Answers, readAnswers } from './answers.ts'
import { runWithAuthority } from './authority.ts'
import { HEALTH_PATHS, checkCertificates, checkNames, servesAt } from './checks.ts'
import { parseEnvFile } from './env-file.ts'
import { isLocalName } from './local-name.ts'
import { type Earlier, findEarlier, findMachine } from './machine.ts'
import { hashOf, readIfPresent } from './manifest.ts'
import { healthOf } from './network-checks.ts'
import {
  type Machine,
  type Plan,
  type ServiceName,
  makePlan,
  manifestPath,
  portOf,
  secretEnv,
} from './plan.ts'
import { checkIdentityProvider } from './provider-checks.ts'
import { Report } from './report.ts'
import { styleFor } from './style.ts'

/** Compares a running server with its setup. Writes nothing. Returns 2 if anything has drifted. */
export async function checkDrift(write: string | undefined): Promise<number> {
  const earlier = findEarlier(write)
  if (!earlier)
    throw new CommandFailure('There was no setup here: run latchkey setup, or name its folder with --write')
  const answers = readAnswers(earlier.manifest.answers, earlier.secrets)
  const code = await runWithAuthority(answers.authority)
  if (code !== undefined) return code
  const machine = findMachine(answers, write, earlier)
  const plan = makePlan(answers, machine)
  const report = new Report(styleFor(process.stdout, process.env))
  await report.collect(findDrift({ earlier, answers, machine, plan }))
  return report.finish('Has drifted', 'Nothing has drifted.')
}

interface Installed {
  readonly earlier: Earlier
  readonly answers: Answers
  readonly machine: Machine
  readonly plan: Plan
}

async function* findDrift(installed: Installed): AsyncGenerator<Finding> {
  const { answers } = installed
  yield* checkFiles(installed)
  yield* checkNames(answers)
  const certificates = await checkCertificates(answers)
  yield* certificates
  for (const host of [answers.links, answers.rooms])
    if (!certificates.some(({ sentence }) => sentence.includes(` ${host} `)))
      yield fail('certificate', `https://${host} does not answer: start the proxy, or check its log`)
  yield* checkServices(installed)
  yield* checkSettingsInFiles(installed)
}

/** Checks each file of the last setup, and whether this version would write others. */
function* checkFiles({ earlier: { root, manifest }, plan, machine }: Installed): Generator<Finding> {
  const name = 'files'
  const before: string[] = []
  for (const [path, { onDisk }] of Object.entries(manifest.files)) {
    const current = readIfPresent(join(root, path))
    if (current === undefined) before.push(`${path} is missing: run latchkey setup again`)
    else if (hashOf(current) !== onDisk)
      before.push(`${path} was changed since setup: run latchkey setup again to see how, and to keep it`)
    if (readIfPresent(join(root, `${path}.new`)) !== undefined)
      before.push(`${path}.new waits: merge it into ${path}, and delete it`)
  }
  if (readIfPresent(join(root, `${manifestPath(machine.install)}.journal`)) !== undefined)
    before.push('a setup was interrupted: run latchkey setup again')
  const outdated = plan.files.filter(({ path, text }) => manifest.files[path]?.proposed !== hashOf(text))
  if (outdated.length > 0)
    before.push(
      `version ${VERSION} has other texts than ${manifest.version} for ${outdated.map(({ path }) => path).join(', ')}: run latchkey setup again`,
    )
  if (before.length === 0)
    yield ok(name, `${Object.keys(manifest.files).length} files are as setup left them`)
  for (const sentence of before) yield warn(name, sentence)
}

/** Checks that both services answer, and that they are of this version. */
async function* checkServices({ answers, machine }: Installed): AsyncGenerator<Finding> {
  for (const service of ['links', 'rooms'] as const) {
    const isContainer = machine.install === 'compose' && machine.proxy === 'caddy'
    const own = `http://127.0.0.1:${portOf(answers, service)}`
    const open = `https://${answers[service]}`
    if (!isContainer && !(await servesAt(service, own)))
      yield fail(service, `does not answer at ${own}: start it, or check its log`)
    else
      yield (await servesAt(service, open))
        ? ok(service, `answers at ${open}`)
        : fail(service, `does not answer at ${open}: check the proxy`)
  }
  const version = (await healthOf(`https://${answers.links}${HEALTH_PATHS.links}`))?.['version']
  if (typeof version === 'string')
    yield version === VERSION
      ? ok('version', `${VERSION} runs`)
      : warn('version', `${version} runs, and this is ${VERSION}: restart the services`)
}

/** Checks the settings as they are in the files now, with all that they name outside. */
async function* checkSettingsInFiles(installed: Installed): AsyncGenerator<Finding> {
  const links = checkSettings(linksSettings, readEnvironment(installed, 'links'))
  const rooms = checkSettings(roomsSettings, readEnvironment(installed, 'rooms'))
  yield* [...links.findings, ...rooms.findings].filter(({ level }) => level !== 'ok')
  // The certificate of a local name is of no authority that this program knows.
  if (links.settings && !isLocalName(installed.answers.links)) yield* await checkAdminSide(links.settings)
  if (!rooms.settings) return
  yield checkConditions(rooms.settings)
  yield* await checkIdentityProvider(rooms.settings)
}

function readEnvironment({ earlier: { root }, machine, plan }: Installed, service: ServiceName) {
  const folder = machine.install === 'compose' ? '/' : '/etc/latchkey/'
  const text = readIfPresent(join(root, `${folder}${service}.env`))?.toString('utf8') ?? ''
  return { ...parseEnvFile(text).values, ...secretEnv(plan.secrets, service) }
}
