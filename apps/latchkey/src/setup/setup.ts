import { existsSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { VERSION } from '@latchkey/links/api/version'
import { CommandFailure } from '../command.ts'
import { type Answers, parseAnswers, readAnswers } from './answers.ts'
import { runWithAuthority } from './authority.ts'
import { type Change, describeChange, fileHashes, findChanges } from './changes.ts'
import { checkEnvironment } from './checks.ts'
import { Dialogue } from './dialogue.ts'
import { interview } from './interview.ts'
import { findEarlier, findMachine, rootOf } from './machine.ts'
import type { Manifest } from './manifest.ts'
import { nextSteps, startCommands, stepsLeft } from './next-steps.ts'
import { type Machine, makePlan, manifestPath, secretPath } from './plan.ts'
import { type Preset, presets, registrationSteps } from './presets.ts'
import { INSTALLATIONS, questions } from './questions.ts'
import { Report } from './report.ts'
import { startServices } from './start-services.ts'
import { paintDiff, styleFor } from './style.ts'
import { finishWriting, writeChanges } from './write.ts'

export interface SetupOptions {
  /** The file with answers. Without one, setup asks. */
  readonly answersFile: string | undefined
  /** The folder to write to, in place of the usual one. */
  readonly write: string | undefined
  /** Whether to start the services in the end, without asking. */
  readonly start: boolean
}

/** Asks, tries, shows and writes. Returns the exit code: 2 if something is left to a person. */
export async function setUp({ answersFile, write, start }: SetupOptions): Promise<number> {
  const report = new Report(styleFor(process.stdout, process.env))
  if (write === undefined && process.getuid?.() !== 0)
    throw new CommandFailure('Setup writes to /etc: run it as root, or name another folder with --write')
  for (const install of INSTALLATIONS)
    if (finishWriting({ root: rootOf(install, write), manifestPath: manifestPath(install) }))
      report.print('Finished the setup that was interrupted before.')
  if (answersFile !== undefined) {
    const answers = readAnswers(parseAnswers(readShortFile(answersFile), answersFile))
    const code = await runWithAuthority(answers.authority)
    if (code !== undefined) return code
    return apply({ answers, write, report, confirm: async () => true, confirmStart: async () => start })
  }
  const code = await runWithAuthority(findEarlier(write)?.manifest.answers[questions.authority.name])
  if (code !== undefined) return code
  const dialogue = new Dialogue({ input: process.stdin, output: process.stdout }, report.style)
  try {
    const answers = await ask(dialogue, write, report)
    const confirm = () => dialogue.confirm('\nWrite these files?')
    const confirmStart = async () => start || dialogue.confirmIfAnswered('\nStart the services now?')
    return await apply({ answers, write, report, confirm, confirmStart })
  } finally {
    dialogue.close()
  }
}

const MAX_ANSWERS_BYTES = 64 * 1024

function readShortFile(path: string): string {
  if (existsSync(path) && statSync(path).size > MAX_ANSWERS_BYTES)
    throw new CommandFailure(`${path} has more than ${MAX_ANSWERS_BYTES} bytes: it is no answers file`)
  return readFileSync(path, 'utf8')
}

async function ask(dialogue: Dialogue, write: string | undefined, report: Report): Promise<Answers> {
  const earlier = findEarlier(write)
  report.print('Latchkey setup. Enter takes the value in brackets, Ctrl+C ends without writing anything.\n')
  const { answers, clientSecret } = await interview({
    dialogue,
    print: report.print,
    printFinding: report.printFinding,
    earlier: earlier?.manifest.answers ?? {},
    hasSecret: earlier?.secrets['AUTH_CLIENT_SECRET'] !== undefined,
  })
  const entered = clientSecret === undefined ? {} : { AUTH_CLIENT_SECRET: clientSecret }
  return readAnswers(answers, { ...earlier?.secrets, ...entered })
}

interface Application {
  readonly answers: Answers
  readonly write: string | undefined
  readonly report: Report
  readonly confirm: () => Promise<boolean>
  readonly confirmStart: () => Promise<boolean>
}

async function apply({ answers, write, report, confirm, confirmStart }: Application): Promise<number> {
  const earlier = findEarlier(write)
  const machine = findMachine(answers, write, earlier)
  const plan = makePlan(answers, machine)
  const { root, install } = machine
  const manifest = earlier?.root === root ? earlier.manifest : undefined
  const changes = findChanges(root, plan.files, manifest)
  report.heading('Checks')
  await report.collect(checkEnvironment(answers, machine, plan))
  showChanges(changes, report)
  const isToWrite = changes.some(({ action }) => isWritten(action))
  if (isToWrite && !(await confirm())) throw new CommandFailure('Nothing was written')
  process.on('SIGINT', ignoreSignal)
  writeChanges({ root, manifestPath: manifestPath(install) }, changes, manifestOf(answers, machine, changes))
  process.off('SIGINT', ignoreSignal)
  showRegistration(answers, machine, report)
  const before = stepsLeft(answers, machine, plan, changes)
  report.left.push(...obsoleteFiles(root, changes, manifest), ...before)
  let isStarted = false
  if (before.length === 0 && mayStart(machine) && (await confirmStart())) {
    report.heading('Start')
    const findings = report.left.length
    await report.collect(startServices(answers, startCommands(machine.proxy, changes)))
    isStarted = report.left.length === findings
  }
  report.heading('Next')
  for (const line of nextSteps(answers, machine, changes, isStarted)) report.print(`  ${line}`)
  return report.finish('Left to you', 'Setup is complete.')
}

/** Whether the files are those of this machine, and systemd runs here. */
function mayStart({ install, root }: Machine): boolean {
  return install === 'systemd' && root === '/' && existsSync('/run/systemd/system')
}

/** A Ctrl+C while files are written must not end setup between two of them. */
function ignoreSignal(): void {}

const isWritten = (action: Change['action']) => ['create', 'update', 'beside'].includes(action)

function showChanges(changes: readonly Change[], { heading, print, style }: Report): void {
  heading('Files')
  for (const change of changes) for (const line of paintDiff(describeChange(change), style)) print(line)
  if (!changes.some(({ action }) => isWritten(action))) print('All files are as they should be.')
  for (const { file, action } of changes)
    if (action === 'foreign') print(`${file.path} stays as it is: someone changed it.`)
}

function showRegistration(
  { provider, rooms, texts }: Answers,
  { root, install }: Machine,
  { heading, print }: Report,
): void {
  const { title, hasOwnSecret }: Preset = presets[provider]
  heading(`Registration at ${title}`)
  for (const step of registrationSteps(provider, `https://${rooms}`, texts)) print(`  ${step}`)
  if (hasOwnSecret)
    print(`  The client secret is in ${join(root, secretPath(install, 'auth-client-secret'))}.`)
}

function manifestOf(
  { texts, secrets }: Answers,
  { install, proxy }: Machine,
  changes: readonly Change[],
): Manifest {
  const names = [...new Set(['AUTH_CLIENT_SECRET', ...Object.keys(secrets)])]
  return {
    version: VERSION,
    install,
    proxy,
    answers: { ...texts },
    secrets: names,
    files: fileHashes(changes),
  }
}

/** Files of an earlier setup that this one has no use for. */
function obsoleteFiles(root: string, changes: readonly Change[], manifest: Manifest | undefined): string[] {
  const paths = new Set(changes.map(({ file }) => file.path))
  return Object.keys(manifest?.files ?? {})
    .filter((path) => !paths.has(path) && existsSync(join(root, path)))
    .map((path) => `files: ${path} is of an earlier setup: delete it if nothing else needs it`)
}
