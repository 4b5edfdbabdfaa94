import { afterAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { usedParts } from './mantine-parts.ts'

const folder = mkdtempSync(join(tmpdir(), 'latchkey-parts-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Returns the paths of the modules of Mantine that a page with this content needs. */
async function modulesOf(content: string): Promise<string> {
  const page = join(folder, 'page.tsx')
  const core = Bun.resolveSync('@mantine/core', import.meta.dirname)
  writeFileSync(page, `import { Checkbox, Menu } from '${core}'\nexport const page = ${content}\n`)
  const { metafile } = await Bun.build({
    entrypoints: [page],
    metafile: true,
    minify: true,
    external: ['react', 'react-dom', 'react/jsx-runtime', 'react/jsx-dev-runtime'],
    plugins: [usedParts([folder])],
  })
  const [output] = Object.values(metafile?.outputs ?? {})
  const inputs = Object.entries(output?.inputs ?? {}).filter(([, { bytesInOutput }]) => bytesInOutput > 0)
  return inputs.map(([path]) => path).join('\n')
}

test('a bundle has the parts of a component that its sources or other components use, and no others', async () => {
  const plain = await modulesOf('<Menu><Menu.Target><a /></Menu.Target><Menu.Dropdown /></Menu>')
  expect(plain).toContain('MenuTarget.mjs')
  // Used by that of the menu.
  expect(plain).toContain('PopoverTarget.mjs')
  expect(plain).not.toContain('MenuSearch.mjs')
  expect(await modulesOf('<Menu><Menu.Search /></Menu>')).toContain('MenuSearch.mjs')
  // Used by what all controls with a label beside them share.
  expect(await modulesOf('<Checkbox />')).toContain('InputDescription.mjs')
}, 30_000)
