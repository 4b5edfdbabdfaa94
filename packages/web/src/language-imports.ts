import type { BunPlugin } from 'bun'
import { LANGUAGES } from './languages.ts'

const IMPORT = /import\(`([^`$]*)\$\{language\}([^`$]*)`\)/g

/**
 * Writes out an import of a path with `${language}`, which the bundler would leave as it is, for
 * each language: a new one is an entry of `LANGUAGES` and a folder.
 */
export const languageImports: BunPlugin = {
  name: 'language-imports',
  setup(build) {
    build.onLoad({ filter: /\/texts\/[\w-]+\.ts$/ }, async ({ path }) => {
      const source = await Bun.file(path).text()
      return { contents: source.replace(IMPORT, (_, before, after) => importOf(before, after)), loader: 'ts' }
    })
  },
}

function importOf(before: string, after: string): string {
  const imports = Object.keys(LANGUAGES).map(
    (language) => `${language}: () => import('${before}${language}${after}')`,
  )
  return `({ ${imports.join(', ')} })[language]()`
}
