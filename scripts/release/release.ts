// Builds all published files into a new folder: `npm run release -- --out DIR [--platform NAME]…
// [--python PROGRAM]`.
import { existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { VERSION } from '@latchkey/links/api/version'
import { billOfMaterials } from './bill-of-materials.ts'
import { packClients } from './clients.ts'
import { compile, gather } from './executable.ts'
import { licences } from './licences.ts'
import { PLATFORMS, platformNamed } from './platforms.ts'
import { run } from './run.ts'

const { values } = parseArgs({
  options: {
    out: { type: 'string' },
    platform: { type: 'string', multiple: true, default: PLATFORMS.map(({ name }) => name) },
    python: { type: 'string', default: 'python3' },
  },
})
if (values.out === undefined) fail('Say where to: npm run release -- --out DIR')
const platforms = values.platform.map(platformNamed)
const folder = resolve(values.out)
if (existsSync(folder) && readdirSync(folder).length > 0) fail(`${folder} is not empty`)
// The interpreter runs in another folder.
const python = /[/\\]/.test(values.python) ? resolve(values.python) : values.python
await run([python, '-m', 'hatchling', '--help']).catch((error: Error) =>
  fail(`--python must be one that has hatchling: ${error.message}`),
)
const sourceTime = await timeOfSource()
mkdirSync(folder, { recursive: true })

const buildFolder = mkdtempSync(join(tmpdir(), 'latchkey-release-'))
try {
  await gather(buildFolder)
  for (const platform of platforms) {
    const file = `latchkey-${VERSION}-${platform.name}${platform.suffix}`
    await compile(buildFolder, platform, join(folder, file))
    console.log(file)
  }
} finally {
  rmSync(buildFolder, { recursive: true, force: true })
}
await packClients(folder, python, sourceTime)
writeFileSync(join(folder, `latchkey-${VERSION}.cdx.json`), await billOfMaterials(sourceTime))
writeFileSync(join(folder, `latchkey-${VERSION}-licences.txt`), licences())
writeFileSync(join(folder, 'SHA256SUMS'), sums())
console.log(`The release is in ${folder}`)

/** The time of the last commit, which makes builds of one source identical. */
async function timeOfSource(): Promise<Date> {
  const epoch = process.env['SOURCE_DATE_EPOCH']
  return new Date(Number(epoch ?? (await run(['git', 'log', '-1', '--format=%ct']))) * 1000)
}

/** Checksums in the format of `sha256sum --check`. */
function sums(): string {
  const lines = readdirSync(folder)
    .toSorted()
    .map((name) => {
      const hash = new Bun.CryptoHasher('sha256').update(readFileSync(join(folder, name))).digest('hex')
      return `${hash}  ${name}\n`
    })
  return lines.join('')
}

function fail(sentence: string): never {
  console.error(sentence)
  process.exit(2)
}
