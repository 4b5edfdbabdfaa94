// Writes the SDKs from the OpenAPI document of Links. With --check it only fails if one is stale.
// --document FILE reads the document from a file, such as one saved from a running service. --into
// FOLDER reads and writes the SDKs in a folder other than `sdks`.
import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { createDocument } from '../../apps/links/src/http/reference.ts'
import { VERSION } from '../../apps/links/src/api/version.ts'
import { readApi } from './api.ts'
import { renderPython } from './python.ts'
import type { Document } from './schema.ts'
import { renderTypescript } from './typescript.ts'

const TYPESCRIPT = 'typescript/src/generated'
const PYTHON = 'python/src/latchkey_links/_generated'

const { values } = parseArgs({
  options: { check: { type: 'boolean' }, document: { type: 'string' }, into: { type: 'string' } },
})
const root = values.into ?? join(import.meta.dir, '../../sdks')
const document = (
  values.document === undefined ? createDocument(VERSION) : await Bun.file(values.document).json()
) as Document
const generated = await render(document)
const stale = await staleFiles(generated)

if (!values.check) {
  for (const path of stale) {
    const text = generated.get(path)
    if (text === undefined) rmSync(join(root, path))
    else await Bun.write(join(root, path), text)
    console.log(`${text === undefined ? 'removed' : 'wrote'} sdks/${path}`)
  }
} else if (stale.length > 0) {
  for (const path of stale) console.error(`sdks/${path} is stale`)
  console.error('Run npm run sdks')
  process.exit(1)
}

/** All generated files by their paths below `sdks/`. */
async function render(from: Document): Promise<Map<string, string>> {
  const api = readApi(from)
  const files = new Map<string, string>()
  const formatted = await Promise.all(
    [...renderTypescript(api)].map(async ([name, text]) => [name, await format(name, text)] as const),
  )
  for (const [name, text] of formatted) files.set(`${TYPESCRIPT}/${name}`, text)
  for (const [name, text] of renderPython(api)) files.set(`${PYTHON}/${name}`, text)
  const manifest = await Bun.file(join(root, 'typescript/package.json')).text()
  files.set('typescript/package.json', manifest.replace(/"version": "[^"]*"/, `"version": "${api.version}"`))
  return files
}

/** Files that would change, and files in the generated folders that are not generated any more. */
async function staleFiles(files: ReadonlyMap<string, string>): Promise<string[]> {
  const changed: string[] = []
  for (const [path, text] of files) {
    const file = Bun.file(join(root, path))
    if (!(await file.exists()) || (await file.text()) !== text) changed.push(path)
  }
  const folders = [TYPESCRIPT, PYTHON]
  const present = folders.flatMap((folder) =>
    readdirSync(join(root, folder), { withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => `${folder}/${entry.name}`),
  )
  return [...changed, ...present.filter((path) => !files.has(path))]
}

async function format(name: string, text: string): Promise<string> {
  const child = Bun.spawn(['oxfmt', `--stdin-filepath=${name}`], {
    cwd: import.meta.dir,
    stdin: new Blob([text]),
    stdout: 'pipe',
    stderr: 'inherit',
  })
  const formatted = await new Response(child.stdout).text()
  if ((await child.exited) !== 0) throw new Error(`oxfmt could not format ${name}`)
  return formatted
}
