// Imports go down the floors of docs/architecture.md: in each map, a name imports values only of
// names to its right or below it, and a package only of packages to its right. Types may be imported
// from anywhere: they do not exist when the code runs.
import { Glob } from 'bun'
import { existsSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { parseSync } from 'oxc-parser'

const ROOT = join(import.meta.dirname, '..')
const SOURCE = /\.tsx?$/

interface Import {
  /** Path of the importing file from the root. */
  from: string
  /** Path of the imported file from the root. */
  to: string
  line: number
}

/** Returns the names of a map in reading order: folders end with a slash. */
export function readMap(document: string, root: string): string[] {
  const block = new RegExp('```text\\n' + root + '\\n([\\s\\S]*?)```').exec(document)?.[1]
  if (block === undefined) throw new Error(`docs/architecture.md has no map of ${root}`)
  // The description of a floor is two spaces or more apart from its names.
  return block
    .split('\n')
    .flatMap((line) => /^(?: ?\S)*/.exec(line.trim())?.[0].split(' ').filter(Boolean) ?? [])
}

/** Returns the imports of values of a TypeScript file, dynamic ones too, as written. */
export function readValueImports(path: string, source: string): { specifier: string; line: number }[] {
  const { module } = parseSync(path, source)
  const requests = [
    ...module.staticImports
      .filter(({ entries }) => entries.length === 0 || entries.some(({ isType }) => !isType))
      .map(({ moduleRequest }) => moduleRequest),
    ...module.staticExports.flatMap(({ entries }) =>
      entries.flatMap(({ moduleRequest, isType }) => (moduleRequest && !isType ? [moduleRequest] : [])),
    ),
    ...module.dynamicImports.map(({ moduleRequest: { start, end } }) => ({
      value: source.slice(start + 1, end - 1),
      start,
    })),
  ]
  return requests.map(({ value, start }) => ({
    specifier: value,
    line: source.slice(0, start).split('\n').length,
  }))
}

/** Returns each import of a value that runs against a map, and each name that a map lacks. */
export function checkFloors(names: readonly string[], root: string, imports: readonly Import[]): string[] {
  const nameOf = (path: string) => {
    const [first = '', rest] = relative(root, path).split('/')
    return rest === undefined ? first.replace(SOURCE, '') : `${first}/`
  }
  const used = new Set(imports.flatMap(({ from, to }) => [nameOf(from), nameOf(to)]))
  const missing = [...used].filter((name) => !names.includes(name))
  const upward = imports.filter(({ from, to }) => {
    const [above, below] = [names.indexOf(nameOf(from)), names.indexOf(nameOf(to))]
    return below >= 0 && above > below
  })
  return [
    ...missing.map((name) => `docs/architecture.md: ${name} of ${root} is not on the map`),
    ...upward.map(
      ({ from, to, line }) =>
        `${from}:${line}: ${nameOf(from)} imports ${nameOf(to)}, which is above it: ${to}`,
    ),
  ]
}

/** Returns each name of a map that is neither a folder nor a file. */
export function findStaleNames(names: readonly string[], root: string): string[] {
  return names
    .filter((name) => !existsSync(join(ROOT, root, name.endsWith('/') ? name : `${name}.ts`)))
    .map((name) => `docs/architecture.md: ${root} has no ${name}`)
}

async function readImports(root: string): Promise<Import[]> {
  const imports: Import[] = []
  for (const path of new Glob(`${root}/**/*.{ts,tsx}`).scanSync(ROOT)) {
    if (/\.test\.tsx?$/.test(path)) continue
    for (const { specifier, line } of readValueImports(path, await Bun.file(join(ROOT, path)).text())) {
      const to = specifier.startsWith('.')
        ? join(dirname(path), specifier)
        : specifier.replace(/^@latchkey\/([^/]+).*/, 'packages/$1/index.ts')
      if (to.startsWith(`${root}/`) && SOURCE.test(to)) imports.push({ from: path, to, line })
    }
  }
  return imports
}

if (import.meta.main) {
  const document = await Bun.file(join(ROOT, 'docs/architecture.md')).text()
  const lines: string[] = []
  for (const root of ['packages', 'apps/links/src', 'apps/rooms/src', 'apps/latchkey/src']) {
    const names = readMap(document, root)
    lines.push(...findStaleNames(names, root), ...checkFloors(names, root, await readImports(root)))
  }
  for (const line of lines) console.log(line)
  process.exit(lines.length > 0 ? 1 : 0)
}
