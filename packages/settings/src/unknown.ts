import type { Declarations, Environment } from './settings.ts'

/**
 * Returns one sentence for each variable of `env` that begins with one of the app's own `prefixes`
 * but is not a setting, with its new name, or the nearest one when it looks like a typing error. Print them as
 * warnings: the environment may set such names too (Kubernetes does for a service called `links`),
 * so they must not keep the app from starting. Values never appear in them.
 *
 * @example
 * findUnknownSettings(declarations, { LINKS_PROT: '80' }, ['LINKS_'])
 * // ['LINKS_PROT is not a setting and is ignored; did you mean LINKS_PORT?']
 */
export function findUnknownSettings(
  declarations: Declarations,
  env: Environment,
  prefixes: readonly string[],
): string[] {
  const settingNames = Object.values(declarations).flatMap(({ name, secret }) =>
    secret ? [name, `${name}_FILE`] : [name],
  )
  return Object.keys(env)
    .filter(
      (name) =>
        env[name] && !settingNames.includes(name) && prefixes.some((prefix) => name.startsWith(prefix)),
    )
    .map((name) => {
      const renamed = Object.values(declarations).find(({ formerName }) => formerName === name)
      if (renamed) return `${name} is ignored: it is now called ${renamed.name}`
      const near = findNearest(name, settingNames)
      return `${name} is not a setting and is ignored${near ? `; did you mean ${near}?` : ''}`
    })
}

// Two edits cover one swapped pair of letters. With three, short names begin to resemble each
// other.
const SLIP = 2

/**
 * Returns the word that a misspelt one resembles, if one is at most two edits away.
 *
 * @example findNearest('keyclaok', ['keycloak', 'zitadel']) // 'keycloak'
 */
export function findNearest(misspelt: string, words: readonly string[]): string | undefined {
  const byDistance = words.map((other) => ({ other, distance: editDistance(misspelt, other) }))
  return byDistance.filter(({ distance }) => distance <= SLIP).toSorted((a, b) => a.distance - b.distance)[0]
    ?.other
}

function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      const swap = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1)
      next.push(Math.min(swap, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1))
    }
    row = next
  }
  return row[b.length] ?? 0
}
