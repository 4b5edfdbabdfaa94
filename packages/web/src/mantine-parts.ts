import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { BunPlugin } from 'bun'

/** `Menu.Sub = MenuSub;`, by which a component of Mantine names its parts. */
const PART = /^(\w+\.[A-Z]\w*) = \w+;\n/gm

/** Sources of React components, where they name parts: `<Menu.Item>`, `jsx(Menu.Item, …)`. */
const SOURCES = '**/*.{tsx,mjs}'

/**
 * Leaves parts out of Mantine's components that neither `sources` nor Mantine itself use, such as
 * submenus. Each component refers to all of its parts, so a bundler cannot find that out. Sources
 * must name a part together with its component.
 */
export function usedParts(sources: readonly string[]): BunPlugin {
  const mantine = join(
    Bun.resolveSync('@mantine/core/package.json', import.meta.dirname),
    '../esm/components',
  )
  const used = new Set(
    [...sources, mantine].flatMap((folder) =>
      [...new Bun.Glob(SOURCES).scanSync(folder)].flatMap(
        (name) =>
          readFileSync(join(folder, name), 'utf8')
            .replace(PART, '')
            .match(/\b[A-Z]\w*\.[A-Z]\w*/g) ?? [],
      ),
    ),
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
