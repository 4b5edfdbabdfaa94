// Builds all published files into a new folder: `npm run release -- --out DIR [--platform NAME]…
// [--image NAME] [--python PROGRAM]`.
import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { VERSION } from '@latchkey/links/api/version'
import { billOfMaterials } from './bill-of-materials.ts'
import { packClients } from './clients.ts'
import { composeArchive } from './compose.ts'
import { buildExecutables } from './executable.ts'
import { hasImage, writeImage } from './image.ts'
import { licences } from './licences.ts'
import { PLATFORMS, platformNamed } from './platforms.ts'
import { run } from './run.ts'
import { timeOfSource } from './source.ts'

const { values } = parseArgs({
  options: {
    out: { type: 'string' },
    platform: { type: 'string', multiple: true, default: PLATFORMS.map(({ name }) => name) },
    // The name of the image in its registry.
    image: { type: 'string', default: 'latchkey' },
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

const executables = new Map(
  platforms.map((each) => [each, join(folder, `latchkey-${VERSION}-${each.name}${each.suffix}`)]),
)
await buildExecutables(executables)
if (platforms.some(hasImage)) await releaseImage()
await packClients(folder, python, sourceTime)
writeFileSync(join(folder, `latchkey-${VERSION}.cdx.json`), await billOfMaterials(sourceTime))
writeFileSync(join(folder, `latchkey-${VERSION}-licences.txt`), licences())
writeFileSync(join(folder, 'SHA256SUMS'), sums())
console.log(`The release is in ${folder}`)

/** The image, and the Compose files that start it. */
async function releaseImage(): Promise<void> {
  const digest = await writeImage(join(folder, `latchkey-${VERSION}-image.tar`), executables)
  writeFileSync(join(folder, `latchkey-${VERSION}-compose.tar.gz`), composeArchive(values.image, digest))
  console.log(`The digest of the image is ${digest}`)
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
