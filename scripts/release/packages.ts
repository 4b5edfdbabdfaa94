import { cpSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { licences } from './licences.ts'
import type { Platform } from './platforms.ts'
import { ROOT, run } from './run.ts'

const PACKAGES = join(ROOT, 'deploy/packages')
const UNITS = join(ROOT, 'deploy/systemd')

/** Debian's names of processors, which nfpm translates for an rpm. */
const ARCHITECTURES: Readonly<Record<string, string>> = { 'linux-x64': 'amd64', 'linux-arm64': 'arm64' }

interface Contents {
  executable: string
  version: string
  sourceTime: Date
}

/** Whether deb and rpm have a package for this platform. */
export function hasPackages({ name }: Platform): boolean {
  return name in ARCHITECTURES
}

/** Packs the executable of a platform into `folder`, as deb and rpm. Throws the error of nfpm. */
export async function packLinux(platform: Platform, contents: Contents, folder: string): Promise<void> {
  const sources = mkdtempSync(join(tmpdir(), 'latchkey-package-'))
  try {
    gatherSources(sources)
    const environment = {
      ...process.env,
      EXECUTABLE: contents.executable,
      ARCH: ARCHITECTURES[platform.name],
      VERSION: contents.version,
      SOURCE_DATE_EPOCH: String(contents.sourceTime.getTime() / 1000),
    }
    for (const packager of ['deb', 'rpm'])
      await run(['nfpm', 'package', '--packager', packager, '--target', folder], sources, environment)
  } finally {
    rmSync(sources, { recursive: true, force: true })
  }
}

/** Copies what nfpm.yaml names to a folder, in which nfpm runs. */
function gatherSources(folder: string): void {
  cpSync(PACKAGES, folder, { recursive: true })
  for (const name of ['latchkey.sysusers', 'latchkey.tmpfiles']) cpSync(join(UNITS, name), join(folder, name))
  cpSync(join(ROOT, 'deploy/nginx/latchkey.conf'), join(folder, 'nginx.conf'))
  writeFileSync(join(folder, 'copyright'), licences())
  mkdirSync(join(folder, 'systemd'))
  const units = readdirSync(UNITS).filter((name) => /\.(service|socket)$/.test(name))
  for (const name of units) {
    const text = readFileSync(join(UNITS, name), 'utf8')
    // /usr/local belongs to the administrator of the machine.
    writeFileSync(
      join(folder, 'systemd', name),
      text.replaceAll('/usr/local/bin/latchkey', '/usr/bin/latchkey'),
    )
  }
}
