// The variable of an operation is its operation id: a reader who knows one finds the other.
import { Visitor, parseSync } from 'oxc-parser'
import { listFiles } from './vocabulary.ts'

/** The functions of `api/context.ts` of each app that declare operations. */
const DECLARE: ReadonlySet<string> = new Set(['operation', 'publicOperation'])

/** Returns the operations of a TypeScript file with a variable of another name, as `line: name, not id`. */
export function checkOperationNames(path: string, source: string): string[] {
  const lines: string[] = []
  new Visitor({
    VariableDeclarator({ id, init, start }) {
      if (id.type !== 'Identifier' || init?.type !== 'CallExpression') return
      const { callee, arguments: args } = init
      if (callee.type !== 'Identifier' || !DECLARE.has(callee.name) || args[0]?.type !== 'ObjectExpression')
        return
      for (const property of args[0].properties) {
        if (property.type !== 'Property' || property.key.type !== 'Identifier') continue
        if (property.key.name !== 'id' || property.value.type !== 'Literal') continue
        if (property.value.value !== id.name)
          lines.push(`${source.slice(0, start).split('\n').length}: ${id.name}, not ${property.value.value}`)
      }
    },
  }).visit(parseSync(path, source).program)
  return lines
}

if (import.meta.main) {
  const misses = await Promise.all(
    (await listFiles('apps/*/src/**/*.ts')).map(async (path) =>
      checkOperationNames(path, await Bun.file(path).text()).map((line) => `${path}:${line}`),
    ),
  )
  for (const line of misses.flat()) console.log(line)
  process.exit(misses.flat().length > 0 ? 1 : 0)
}
