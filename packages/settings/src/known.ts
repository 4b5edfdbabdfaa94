import type { Declaration, Declarations } from './settings.ts'

/** The key under which a service stores, at each start, the settings that it knows. */
export const KNOWN_SETTINGS = 'known_settings'

export interface ChangedSettings {
  /** The version whose settings are compared. */
  readonly since: string
  readonly added: readonly Declaration<unknown>[]
  readonly renamed: readonly { readonly from: string; readonly to: string }[]
  readonly dropped: readonly string[]
}

/**
 * Returns the names of all settings of a version as a text for `compareSettings`. Never throws.
 *
 * @example listSettings({ port: { name: 'APP_PORT', … } }, '1.2.0') // '1.2.0\nAPP_PORT'
 */
export function listSettings(declarations: Declarations, version: string): string {
  return [version, ...namesOf(declarations)].join('\n')
}

/**
 * Compares the declarations with the text that an earlier version listed. Never throws.
 *
 * @example compareSettings('1.2.0\nAPP_PORT', declarations).added.map(({ name }) => name)
 */
export function compareSettings(listed: string, declarations: Declarations): ChangedSettings {
  const [since = '', ...before] = listed.split('\n')
  const earlier = new Set(before)
  const fresh = Object.values(declarations).filter(({ name }) => !earlier.has(name))
  const renamed = fresh.flatMap(({ name, formerName }) =>
    formerName !== undefined && earlier.has(formerName) ? [{ from: formerName, to: name }] : [],
  )
  const now = new Set(namesOf(declarations))
  return {
    since,
    added: fresh.filter(({ name }) => !renamed.some(({ to }) => to === name)),
    renamed,
    dropped: before.filter((name) => !now.has(name) && !renamed.some(({ from }) => from === name)),
  }
}

function namesOf(declarations: Declarations): string[] {
  return Object.values(declarations).map(({ name }) => name)
}
