import { type Environment, SettingsError } from '@latchkey/settings/settings'
import { type Finding, fail, ok, warn } from './finding.ts'

/** The declarations of a service: how to read its settings, and their warnings. */
export interface Declared<Settings> {
  /** Throws `SettingsError`. */
  readSettings: (env: Environment) => Settings
  settingsWarnings: (env: Environment) => string[]
}

/** Returns the settings, or undefined with a finding for every problem. */
export function checkSettings<Settings>(
  { readSettings, settingsWarnings }: Declared<Settings>,
  env: Environment,
): { settings?: Settings; findings: Finding[] } {
  const findings = settingsWarnings(env).map((warning) => warn('settings', warning))
  try {
    const settings = readSettings(env)
    return { settings, findings: [...findings, ok('settings', 'all settings are valid')] }
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error
    const problems = error.problems.map(({ name, problem, example }) =>
      fail('settings', `${name} ${problem}. Example: ${name}=${example}`),
    )
    return { findings: [...findings, ...problems] }
  }
}
