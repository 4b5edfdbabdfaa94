import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

type Metafile = NonNullable<Awaited<ReturnType<typeof Bun.build>>['metafile']>

/** The scripts of a bundle, by the names of their files. */
export type Scripts = ReadonlyMap<string, Metafile['outputs'][string]>

export const fileName = (path: string) => path.replace(/^.*\//, '')

export function scriptsOf(metafile: Metafile | undefined): Scripts {
  const scripts = Object.entries(metafile?.outputs ?? {}).filter(([path]) => path.endsWith('.js'))
  return new Map(scripts.map(([path, output]) => [fileName(path), output]))
}

/** Returns the names of this script and of all scripts that must be loaded with it. */
export function loadedWith(scripts: Scripts, name: string, names = new Set<string>()): Set<string> {
  if (names.has(name)) return names
  names.add(name)
  for (const { path, kind } of scripts.get(name)?.imports ?? [])
    if (kind === 'import-statement') loadedWith(scripts, fileName(path), names)
  return names
}

/** Chunks that will become one. */
interface Group {
  chunks: readonly string[]
  /** The entries that load the group. */
  users: ReadonlySet<string>
  bytes: number
}

/**
 * Rewrites the entries of a bundle in `folder` so that bundling `main.js` there yields few chunks:
 * that of `main`, one for each page, and one that it shares with others. The bundler splits a chunk
 * off for every set of entries that share code, which is dozens. It joins chunks with the same
 * entries, so each entry gets an import of every chunk of its groups. The number of chunks matters
 * for the entries for which `isPage` is true.
 */
export function joinChunks(
  folder: string,
  scripts: Scripts,
  main: string,
  isPage: (entry: string) => boolean,
): void {
  const groups = groupChunks(scripts, main, isPage)
  for (const [name, { entryPoint }] of scripts) {
    if (entryPoint === undefined) continue
    const chunks = groups.filter(({ users }) => users.has(name)).flatMap((group) => group.chunks)
    const imports = chunks.map((chunk) => `import './${chunk}'\n`).join('')
    // Chunks import from that of `main`, which must run before them.
    if (name === main) writeFileSync(join(folder, 'main.js'), `import './${main}'\n${imports}`)
    else writeFileSync(join(folder, name), imports + readFileSync(join(folder, name), 'utf8'))
  }
}

/**
 * Groups the chunks that are shared by pages, until each page needs at most one group beside that
 * of `main`. Joins those two first that make the pages load the fewest bytes which they do not
 * need.
 */
function groupChunks(scripts: Scripts, main: string, isPage: (entry: string) => boolean): Group[] {
  const entries = [...scripts].flatMap(([name, { entryPoint }]) => (entryPoint === undefined ? [] : name))
  const pages = entries.filter(isPage)
  const shared = sharedChunks(scripts, main).filter(({ users }) => pages.some((page) => users.has(page)))
  let groups: Group[] = [{ chunks: [], users: new Set(entries), bytes: 0 }, ...shared]
  const excess = (from: Group, to: Group) =>
    from.bytes * pages.filter((page) => to.users.has(page) && !from.users.has(page)).length
  const countOf = (page: string) => groups.filter(({ users }) => users.has(page) && !users.has(main)).length
  while (pages.some((page) => countOf(page) > 1)) {
    const [pair] = groups
      .flatMap((one, at) => groups.slice(at + 1).map((other) => ({ one, other })))
      .map(({ one, other }) => ({ one, other, bytes: excess(one, other) + excess(other, one) }))
      .toSorted((a, b) => a.bytes - b.bytes)
    if (!pair) break
    const { one, other } = pair
    groups = [...groups.filter((group) => group !== one && group !== other), mergeGroups(one, other)]
  }
  return groups
}

/** Finds the chunks beside those of `main`, with the entries that load each. */
function sharedChunks(scripts: Scripts, main: string): Group[] {
  const everywhere = loadedWith(scripts, main)
  const users = new Map<string, Set<string>>()
  for (const [entry, { entryPoint }] of scripts) {
    if (entryPoint === undefined) continue
    for (const name of loadedWith(scripts, entry))
      if (name !== entry && !everywhere.has(name)) users.set(name, (users.get(name) ?? new Set()).add(entry))
  }
  return [...users].map(([name, entries]) => ({
    chunks: [name],
    users: entries,
    bytes: scripts.get(name)?.bytes ?? 0,
  }))
}

const mergeGroups = (one: Group, other: Group): Group => ({
  chunks: [...one.chunks, ...other.chunks],
  users: new Set([...one.users, ...other.users]),
  bytes: one.bytes + other.bytes,
})
