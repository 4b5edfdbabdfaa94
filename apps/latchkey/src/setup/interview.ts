import type { Finding } from '@latchkey/doctor/finding'
import type { Declaration } from '@latchkey/settings/settings'
import { OPTIONAL_QUESTION } from './answers.ts'
import type { Dialogue } from './dialogue.ts'
import { checkName } from './network-checks.ts'
import { type Named, PRESET_NAMES, type Preset, presets, registrationSteps } from './presets.ts'
import { MAIN_QUESTIONS, declarationOf, questions } from './questions.ts'

interface Interview {
  readonly dialogue: Dialogue
  readonly print: (line: string) => void
  readonly printFinding: (finding: Finding) => void
  /** Answers of an earlier setup, which are the defaults. */
  readonly earlier: Named
  /** Whether a client secret is stored already. */
  readonly hasSecret: boolean
}

/** Asks everything that is not answered. Returns the answers, and the client secret if one was entered. */
export async function interview(
  context: Interview,
): Promise<{ answers: Named; clientSecret: string | undefined }> {
  const answers: Record<string, string> = { ...context.earlier }
  let clientSecret: string | undefined
  for (const question of MAIN_QUESTIONS) {
    if (question.name === questions.provider.name) clientSecret = await askProvider(context, answers)
    else answers[question.name] = await askUntilValid(context, question, answers[question.name])
    if (question.name.startsWith('HOST_OF_'))
      context.printFinding(await checkName(answers[question.name] ?? '', async () => false))
  }
  return { answers, clientSecret }
}

/** Returns the client secret, if one was entered. */
async function askProvider(context: Interview, answers: Record<string, string>): Promise<string | undefined> {
  const { dialogue, print } = context
  const { name, kind, sentence } = questions.provider
  const choices = PRESET_NAMES.map((value) => ({ value, title: presets[value].title }))
  const provider = await until(kind, () => dialogue.choose(sentence, choices, answers[name]), print)
  if (answers[name] !== provider) forgetProvider(answers)
  answers[name] = provider
  const preset: Preset = presets[provider]
  for (const ask of preset.asks)
    answers[ask] = await askUntilValid(context, declarationOf(ask), answers[ask] ?? preset.defaults?.[ask])
  print('')
  print(`Register Rooms at ${preset.title}:`)
  for (const step of registrationSteps(provider, `https://${answers['HOST_OF_ROOMS']}`, answers))
    print(`  ${step}`)
  print('')
  const clientId = declarationOf('AUTH_CLIENT_ID')
  const usual = answers[clientId.name] ?? preset.defaults?.[clientId.name]
  answers[clientId.name] = await askUntilValid(context, clientId, usual)
  return askClientSecret(context, preset)
}

/** Answers about another provider are not defaults. */
function forgetProvider(answers: Record<string, string>): void {
  const names = new Set(PRESET_NAMES.flatMap((name) => presets[name].asks as readonly string[]))
  for (const name of [...names, 'AUTH_CLIENT_ID']) delete answers[name]
}

async function askClientSecret(
  { dialogue, hasSecret }: Interview,
  { hasOwnSecret }: Preset,
): Promise<string | undefined> {
  const generated = hasOwnSecret ? 'Enter generates one' : 'Enter leaves it for later'
  const answer = await dialogue.askHidden(
    `Client secret, which is not shown; ${hasSecret ? 'Enter keeps the stored one' : generated}`,
  )
  return answer || undefined
}

async function askUntilValid(
  { dialogue, print }: Interview,
  question: Declaration<unknown>,
  usual: string | undefined,
): Promise<string> {
  const { name, kind, sentence, example } = question
  const isOptional = name === OPTIONAL_QUESTION
  const hint = isOptional ? `such as ${example}; Enter: everyone` : `such as ${example}`
  const suggestion = usual ?? question.default ?? ''
  for (;;) {
    const answer = await dialogue.ask(suggestion === '' ? `${sentence} (${hint})` : sentence, suggestion)
    if (answer === '' && isOptional) return ''
    const value = kind.parse(answer)
    // Hosts are stored as browsers send them.
    if (value !== undefined) return typeof value === 'string' ? value : answer
    print(`  ${findProblem(kind, answer)}`)
  }
}

async function until<T extends string>(
  kind: Declaration<T>['kind'],
  ask: () => Promise<string>,
  print: (line: string) => void,
): Promise<T> {
  for (;;) {
    const answer = await ask()
    const value = kind.parse(answer)
    if (value !== undefined) return value
    print(`  ${findProblem(kind, answer)}`)
  }
}

function findProblem(kind: Declaration<unknown>['kind'], answer: string): string {
  return `It ${kind.findFault?.(answer) ?? `must be ${kind.accepts}`}.`
}
