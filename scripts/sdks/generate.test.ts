import { afterAll, describe, expect, test } from 'bun:test'
import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createDocument } from '../../apps/links/src/http/reference.ts'
import { VERSION } from '../../apps/links/src/api/version.ts'
import { readApi } from './api.ts'
import { snake, walkerOf } from './names.ts'
import type { Document } from './schema.ts'

const SDKS = join(import.meta.dir, '../../sdks')
const folder = mkdtempSync(join(tmpdir(), 'latchkey-sdks-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const into = join(folder, 'sdks')
cpSync(SDKS, into, { recursive: true, filter: (from) => !/\/(dist|node_modules)$/.test(from) })

async function generate(...args: readonly string[]): Promise<{ code: number; output: string }> {
  const child = Bun.spawn([process.execPath, join(import.meta.dir, 'generate.ts'), ...args], {
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const output = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()])
  return { code: await child.exited, output: output.join('') }
}

/** Returns a copy of the document with a change. */
function alterDocument(change: (document: Document) => void): Document {
  const document = structuredClone(createDocument(VERSION)) as unknown as Document
  change(document)
  return document
}

function operation(document: Document, path: string, method: string) {
  const described = document.paths[path]?.[method]
  if (!described) throw new Error(`${method} ${path} is not described`)
  return described
}

describe('npm run sdks -- --check', () => {
  test('finds the SDKs of this repository up to date with the API', async () => {
    expect(await generate('--check')).toEqual({ code: 0, output: '' })
  })

  test('fails after a change of an operation, names the stale files, and passes once the SDKs are generated again', async () => {
    const file = join(folder, 'changed.json')
    const document = alterDocument((api) => {
      const { parameters } = operation(api, '/links/{id}/analytics', 'get')
      parameters.push({ name: 'compare', in: 'query', required: false, schema: { type: 'boolean' } })
    })
    await Bun.write(file, JSON.stringify(document))
    const args = ['--document', file, '--into', into]
    const before = await generate('--check', ...args)
    expect(before.code).toBe(1)
    expect(before.output).toContain('sdks/typescript/src/generated/models.ts is stale')
    expect(before.output).toContain('sdks/python/src/latchkey_links/_generated/links.py is stale')
    expect(before.output).toContain('Run npm run sdks')
    expect((await generate(...args)).code).toBe(0)
    expect(await generate('--check', ...args)).toEqual({ code: 0, output: '' })
    expect(await Bun.file(join(into, 'typescript/src/generated/models.ts')).text()).toContain(
      'compare?: boolean',
    )
  }, 60_000)

  test('fails if only a text of the document has changed, because its hash is recorded', async () => {
    const file = join(folder, 'sentence.json')
    const document = alterDocument((api) => {
      operation(api, '/links', 'get').responses['429'] = { description: 'Slow down' }
    })
    await Bun.write(file, JSON.stringify(document))
    const { code, output } = await generate('--check', '--document', file)
    expect(code).toBe(1)
    expect(output).toContain('sdks/typescript/src/generated/document.ts is stale')
    expect(output).not.toContain('models.ts')
  })

  test('fails on a generated file that is no longer generated, and on an edited one', async () => {
    const models = join(SDKS, 'typescript/src/generated/models.ts')
    const other = join(folder, 'edited')
    cpSync(SDKS, other, { recursive: true })
    await Bun.write(join(other, 'typescript/src/generated/old.ts'), 'export {}\n')
    await Bun.write(
      join(other, 'typescript/src/generated/models.ts'),
      `${await Bun.file(models).text()}\n// mine\n`,
    )
    const { code, output } = await generate('--check', '--into', other)
    expect([code, output.trim().split('\n')]).toEqual([
      1,
      [
        'sdks/typescript/src/generated/models.ts is stale',
        'sdks/typescript/src/generated/old.ts is stale',
        'Run npm run sdks',
      ],
    ])
  })
})

describe('the README', () => {
  const { groups } = readApi(createDocument(VERSION) as unknown as Document)
  test.each<[sdk: string, spell: (name: string) => string]>([
    ['typescript', (name) => name],
    ['python', snake],
  ])('of %s names every method, and no other', async (sdk, spell) => {
    const page = await Bun.file(join(SDKS, sdk, 'README.md')).text()
    const table = page.split('\n').filter((line) => line.startsWith('| ') && !line.startsWith('| --'))
    const columns = table[0]?.match(/`client\.\w+`/g)?.map((cell) => cell.slice(8, -1)) ?? []
    expect(columns).toEqual(groups.map(({ name }) => name))
    for (const [index, { operations }] of groups.entries()) {
      const cells = table.slice(1).map((line) => line.split('|')[index + 1] ?? '')
      const named = cells.flatMap((cell) => [...cell.matchAll(/`(\w+)`/g)].map(([, name = '']) => name))
      const methods = operations.flatMap(({ name, paging }) => (paging ? [name, walkerOf(name)] : [name]))
      expect(named.toSorted()).toEqual(methods.map(spell).toSorted())
    }
  })
})

describe('the generator refuses', () => {
  test.each<[what: string, change: (api: Document) => void, because: string]>([
    [
      'a keyword it does not know',
      (api) => {
        operation(api, '/links', 'get').parameters[0] = {
          name: 'owner',
          in: 'query',
          required: false,
          schema: { type: 'string', allOf: [] } as never,
        }
      },
      'does not know "allOf"',
    ],
    [
      'PUT and PATCH that are not the same',
      (api) => void (operation(api, '/links/{id}', 'patch').summary = 'Another thing'),
      'updateLink_patch is not the same operation as updateLink',
    ],
    [
      'two operations of one name',
      (api) => void (operation(api, '/links', 'get').operationId = 'createLink'),
      'Two operations would be links.create',
    ],
    [
      'a parameter in a header',
      (api) => void (operation(api, '/links/{id}', 'get').parameters[0]!.in = 'header'),
      'a parameter in header is not known',
    ],
    [
      'a reference that leads nowhere',
      (api) => void delete api.components.schemas['Slug'],
      '#/components/schemas/Slug leads nowhere',
    ],
    [
      'a map',
      (api) => void (api.components.schemas['Slug']!.additionalProperties = { type: 'string' }),
      'does not know maps',
    ],
    [
      'two objects that would have one name',
      (api) => {
        const one = (name: string) => ({ type: 'object', properties: { [name]: { type: 'string' } } })
        api.components.schemas['Slug']!.properties!['target'] = { anyOf: [one('id'), one('url')] }
      },
      'Two objects would be called SlugTarget',
    ],
    [
      'a body that is not JSON',
      (api) => {
        const { requestBody } = operation(api, '/links', 'post')
        requestBody!.content = { 'text/csv': requestBody!.content['application/json']! }
      },
      'its body is not JSON',
    ],
  ])('%s', (_what, change, because) => {
    expect(() => readApi(alterDocument(change))).toThrow(because)
  })
})
