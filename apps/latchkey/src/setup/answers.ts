import {
  type Declaration,
  type Problem,
  SettingsError,
  type Values,
  parseSettings,
} from '@latchkey/settings/settings'
import { findNearest } from '@latchkey/settings/unknown'
import { CommandFailure } from '../command.ts'
import { parseEnvFile } from './env-file.ts'
import { type Named, type Preset, type PresetName, presets } from './presets.ts'
import { PROVIDER_QUESTIONS, declarationOf, questions, settingsByName } from './questions.ts'

type QuestionValues = Values<typeof questions>

/** Valid answers: to the questions of setup, and settings of the services. */
export interface Answers extends QuestionValues {
  readonly links: string
  readonly rooms: string
  readonly provider: PresetName
  readonly email: string
  /** The answers as texts by name, without secrets. */
  readonly texts: Named
  /** Contents of secret settings by name. */
  readonly secrets: Named
}

/** Wrong answers, all of them at once. */
export class WrongAnswers extends CommandFailure {
  constructor(problems: readonly Problem[], place: string) {
    const lines = problems.map(({ name, problem, example }) => {
      const end = problem.endsWith('?') ? '' : '.'
      return `  ${name} ${problem}${example === '' ? '' : `${end} Example: ${name}=${example}`}`
    })
    super([`These answers cannot be used${place}, and nothing was written:`, ...lines].join('\n'))
  }
}

/** Settings that follow from answers, with the answer. */
const DERIVED: Named = {
  LINKS_BASE_URL: 'HOST_OF_LINKS',
  LINKS_ROOMS_URL: 'HOST_OF_ROOMS',
  ALLOWED_HOSTS: 'HOST_OF_ROOMS',
  ROOMS_LINKS_URL: 'HOST_OF_LINKS',
  LINKS_JOURNAL: 'DATA',
  ROOMS_ACCESS_FOR: 'HOST_OF_LINKS',
  PROXY_HEADER: 'PROXY',
  AUTH_PROVIDER: 'PROVIDER',
}

/** Reads the text of an answers file. Throws `WrongAnswers`. */
export function parseAnswers(text: string, file: string): Named {
  const { values, faults } = parseEnvFile(text)
  if (faults.length > 0) {
    const problems = faults.map((fault) => ({ name: file, problem: fault, example: '' }))
    throw new WrongAnswers(problems, '')
  }
  return values
}

/**
 * Reads answers as texts by name, with the contents of secrets that were entered. Throws
 * `WrongAnswers` with all problems.
 */
export function readAnswers(texts: Named, entered: Named = {}, place = ''): Answers {
  const answered = Object.fromEntries(Object.entries(texts).filter(([, value]) => value !== ''))
  const problems = Object.keys(answered).flatMap(findNameProblem)
  const values = readValues(answered, problems)
  const preset: Preset | undefined = values && values.provider !== null ? presets[values.provider] : undefined
  if (preset) problems.push(...findPresetProblems(answered, preset))
  const secrets = readSettingValues(answered, problems)
  if (problems.length > 0 || !values) throw new WrongAnswers(problems, place)
  const { links, rooms, provider, email } = values
  // Required answers are missing only with a problem, but the types do not say so.
  if (links === null || rooms === null || provider === null || email === null)
    throw new TypeError('A required answer has no check')
  const open = Object.entries(answered).filter(([name]) => !isSecretFile(name))
  return {
    ...values,
    links,
    rooms,
    provider,
    email,
    texts: { ...preset?.defaults, ...Object.fromEntries(open), ...asParsed(values) },
    secrets: { ...secrets, ...entered },
  }
}

/** Answers in the form of their kind: hosts as browsers send them. */
function asParsed(values: QuestionValues): Named {
  const entries = Object.entries(questions) as [keyof typeof questions, { readonly name: string }][]
  return Object.fromEntries(
    entries.flatMap(([key, { name }]) => {
      const value = values[key]
      return typeof value === 'string' ? [[name, value]] : []
    }),
  )
}

/** The setting whose secret is in the file that this answer names. */
function isSecretFile(name: string): boolean {
  return name.endsWith('_FILE') && settingsByName.get(name.slice(0, -'_FILE'.length))?.secret === true
}

function findNameProblem(name: string): Problem[] {
  // Rooms is the access layer.
  const derivedFrom = name.startsWith('LINKS_ACCESS') ? 'HOST_OF_ROOMS' : DERIVED[name]
  if (derivedFrom !== undefined)
    return [{ name, problem: `follows from ${derivedFrom}: leave it out`, example: '' }]
  const setting = settingsByName.get(name)
  if (setting?.secret)
    return [{ name, problem: `is a secret: name the file that holds it, with ${name}_FILE`, example: '' }]
  if (setting || isSecretFile(name) || questionNames.includes(name)) return []
  const near = findNearest(name.toUpperCase(), [...questionNames, ...settingNames])
  const hint = near === undefined ? '' : `; did you mean ${near}?`
  return [{ name, problem: `is neither a question of setup nor a setting${hint}`, example: '' }]
}

const questionNames: readonly string[] = Object.values(questions).map(({ name }) => name)
const settingNames = [...settingsByName.values()].map(({ name, secret }) => (secret ? `${name}_FILE` : name))

/** Who may sign in at a provider without a preset; everyone, unless it is answered. */
export const OPTIONAL_QUESTION = 'AUTH_REQUIRE'

const REQUIRED = ['links', 'rooms', 'provider', 'email'] as const

function readValues(answered: Named, problems: Problem[]): QuestionValues | undefined {
  try {
    return parseSettings(questions, answered, [
      ...REQUIRED.map((key) => ({
        settings: [key] as const,
        problem: (values: QuestionValues) => (values[key] === null ? 'is required' : null),
      })),
      {
        settings: ['rooms', 'links'],
        problem: ({ links, rooms }) =>
          links !== null && links === rooms
            ? 'must differ from HOST_OF_LINKS: each needs a host of its own'
            : null,
      },
      requireBoth('certificateKey', 'certificate'),
      requireBoth('certificate', 'certificateKey'),
    ])
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error
    problems.push(...error.problems)
    return undefined
  }
}

function requireBoth(key: 'certificate' | 'certificateKey', other: 'certificate' | 'certificateKey') {
  return {
    settings: [key, other] as const,
    problem: (values: QuestionValues) =>
      values[key] === null && values[other] !== null ? `is required with ${questions[other].name}` : null,
  }
}

/** Answers that the provider needs and does not get, and those that only others need. */
function findPresetProblems(answered: Named, { asks, defaults = {}, title }: Preset): Problem[] {
  const foreign = PROVIDER_QUESTIONS.filter(
    ({ name }) => answered[name] !== undefined && !asks.includes(name),
  )
  const requiredNames = [...asks.filter((name) => name !== OPTIONAL_QUESTION), 'AUTH_CLIENT_ID']
  const missing = requiredNames.filter((name) => answered[name] === undefined && defaults[name] === undefined)
  return [
    ...foreign.map(({ name }) => ({ name, problem: `is not asked for ${title}: leave it out`, example: '' })),
    ...missing.map((name) => ({
      name,
      problem: `is required for ${title}`,
      example: declarationOf(name).example,
    })),
  ]
}

/** Checks each setting by itself. Returns the contents of the secret ones. */
function readSettingValues(answered: Named, problems: Problem[]): Named {
  const secrets: Record<string, string> = {}
  for (const name of Object.keys(answered)) {
    const setting = settingsByName.get(isSecretFile(name) ? name.slice(0, -'_FILE'.length) : name)
    if (!setting || (setting.secret && !isSecretFile(name))) continue
    const value = readOne(setting, answered, problems)
    if (setting.secret && typeof value === 'string') secrets[setting.name] = value
  }
  return secrets
}

function readOne(setting: Declaration<unknown>, answered: Named, problems: Problem[]): unknown {
  try {
    return parseSettings({ setting }, answered)['setting']
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error
    problems.push(...error.problems)
    return undefined
  }
}
