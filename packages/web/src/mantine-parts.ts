import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { BunPlugin } from 'bun'

/** `Menu.Sub = MenuSub;`, by which a component of Mantine names its parts. */
const PART = /^(\w+\.[A-Z]\w*) = \w+;\n/gm

/** Where sources name parts: `<Menu.Item>`, `jsx(Menu.Item, …)`. */
const NAMED_PART = /\b[A-Z]\w*\.[A-Z]\w*/g

/**
 * Leaves parts out of Mantine's components that neither `sources` nor Mantine itself use, such as
 * submenus. Each component refers to all of its parts, so a bundler cannot find that out. Sources
 * must name a part together with its component.
 */
export function usedParts(sources: readonly string[]): BunPlugin {
  const mantine = join(Bun.resolveSync('@mantine/core/package.json', import.meta.dirname), '../..')
  const files = [
    ...sources.flatMap((folder) => filesIn(folder, '**/*.tsx')),
    ...filesIn(mantine, '*/esm/**/*.mjs'),
  ]
  const used = new Set(
    files.flatMap((path) => readFileSync(path, 'utf8').replace(PART, '').match(NAMED_PART) ?? []),
  )
  return {
    name: 'used-parts',
    setup(build) {
      build.onLoad({ filter: /@mantine\/core\/esm\/components\/.*\.mjs$/ }, ({ path }) => ({
        contents: readFileSync(path, 'utf8').replace(PART, (line, part: string) =>
          used.has(part) ? line : '',
        ),
        loader: 'js',
      }))
    },
  }
}

const filesIn = (folder: string, pattern: string) =>
  [...new Bun.Glob(pattern).scanSync(folder)].map((name) => join(folder, name))
