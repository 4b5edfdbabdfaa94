// Builds the OCI image without a container engine: `bun scripts/release/image.ts --out FILE
// [--platform linux-arm64]…`.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { parseArgs } from 'node:util'
import { VERSION } from '@latchkey/links/api/version'
import { buildExecutables } from './executable.ts'
import type { Architecture } from './image/debian.ts'
import { layout } from './image/layout.ts'
import { baseEntries, programEntries } from './image/root.ts'
import { type Platform, platformNamed } from './platforms.ts'
import { ROOT } from './run.ts'
import { revisionOfSource, timeOfSource } from './source.ts'

/** The platforms of the image, with the architecture that each is for. */
const ARCHITECTURES: ReadonlyMap<string, Architecture> = new Map([
  ['linux-x64', 'amd64'],
  ['linux-arm64', 'arm64'],
])

export function hasImage({ name }: Platform): boolean {
  return ARCHITECTURES.has(name)
}

/**
 * Writes the image of these executables to one file, and returns its digest. Executables of other
 * platforms are left out. Throws if a library is unavailable.
 */
export async function writeImage(
  file: string,
  executables: ReadonlyMap<Platform, string>,
  name = 'latchkey',
): Promise<string> {
  const images = []
  for (const [platform, executable] of executables) {
    const architecture = ARCHITECTURES.get(platform.name)
    if (architecture === undefined) continue
    images.push({ architecture, layers: [await baseEntries(architecture), programEntries(executable)] })
  }
  const description = {
    title: 'Latchkey',
    version: VERSION,
    licenses: 'MIT',
    created: await timeOfSource(),
    revision: await revisionOfSource(),
  }
  const { archive, digest } = layout(images, description, name)
  writeFileSync(file, archive)
  return digest
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: {
      out: { type: 'string', default: join(ROOT, `dist/latchkey-${VERSION}-image.tar`) },
      platform: { type: 'string', multiple: true, default: [...ARCHITECTURES.keys()] },
    },
  })
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-image-'))
  try {
    const platforms = values.platform.map(platformNamed)
    const other = platforms.find((each) => !hasImage(each))
    if (other)
      throw new Error(
        `There is no image for ${other.name}: it is for ${[...ARCHITECTURES.keys()].join(' and ')}`,
      )
    const executables = new Map(platforms.map((each) => [each, join(folder, each.name)]))
    await buildExecutables(executables)
    mkdirSync(dirname(values.out), { recursive: true })
    console.log(await writeImage(values.out, executables))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
