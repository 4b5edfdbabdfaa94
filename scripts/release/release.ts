// Builds all published files into a new folder: `npm run release -- --out DIR [--platform NAME]…
// [--image NAME] [--home URL] [--python PROGRAM]`.
import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { VERSION } from '@latchkey/links/api/version'
import { billOfMaterials } from './bill-of-materials.ts'
import { chartArchive } from './chart.ts'
import { packClients } from './clients.ts'
import { composeArchive } from './compose.ts'
import { buildExecutables } from './executable.ts'
import { hasImage, writeImage } from './image.ts'
import { licences } from './licences.ts'
import { hasPackages, packLinux } from './packages.ts'
import { PLATFORMS, platformNamed } from './platforms.ts'
import { run } from './run.ts'
import { timeOfSource } from './source.ts'
import { templatesArchive } from './templates.ts'

const { values } = parseArgs({
  options: {
    out: { type: 'string' },
    platform: { type: 'string', multiple: true, default: PLATFORMS.map(({ name }) => name) },
    // The name of the image in its registry.
    image: { type: 'string', default: 'latchkey' },
    // The repository, below which the files are published.
    home: { type: 'string', default: 'https://example.com/latchkey' },
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
if (platforms.some(hasPackages) && Bun.which('nfpm') === null)
  fail('nfpm is not installed: .ci/release-tools installs it')
const sourceTime = await timeOfSource()
mkdirSync(folder, { recursive: true })

const executables = new Map(
  platforms.map((each) => [each, join(folder, `latchkey-${VERSION}-${each.name}${each.suffix}`)]),
)
await buildExecutables(executables)
for (const [platform, executable] of executables)
  if (hasPackages(platform)) await packLinux(platform, { executable, version: VERSION, sourceTime }, folder)
if (platforms.some(hasImage)) await releaseImage()
writeFileSync(
  join(folder, `latchkey-${VERSION}-templates.tar.gz`),
  templatesArchive({ home: values.home, image: values.image, hashes: hashesOfExecutables() }),
)
await packClients(folder, python, sourceTime)
writeFileSync(join(folder, `latchkey-${VERSION}.cdx.json`), await billOfMaterials(sourceTime))
writeFileSync(join(folder, `latchkey-${VERSION}-licences.txt`), licences())
writeFileSync(join(folder, 'SHA256SUMS'), sums())
console.log(`The release is in ${folder}`)

/** The image, and the Compose files and the chart that start it. */
async function releaseImage(): Promise<void> {
  const digest = await writeImage(join(folder, `latchkey-${VERSION}-image.tar`), executables, values.image)
  writeFileSync(join(folder, `latchkey-${VERSION}-compose.tar.gz`), composeArchive(values.image, digest))
  writeFileSync(join(folder, `latchkey-${VERSION}.tgz`), chartArchive(values.image, digest))
  console.log(`The digest of the image is ${digest}`)
}

function hashesOfExecutables(): ReadonlyMap<string, string> {
  return new Map([...executables].map(([{ name }, file]) => [name, hashOf(file)]))
}

/** Checksums in the format of `sha256sum --check`. */
function sums(): string {
  const lines = readdirSync(folder)
    .toSorted()
    .map((name) => `${hashOf(join(folder, name))}  ${name}\n`)
  return lines.join('')
}

function hashOf(file: string): string {
  return new Bun.CryptoHasher('sha256').update(readFileSync(file)).digest('hex')
}

function fail(sentence: string): never {
  console.error(sentence)
  process.exit(2)
}
