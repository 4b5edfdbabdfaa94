import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { type Manifest, readIfPresent, readManifest } from './manifest.ts'
import type { Answers } from './answers.ts'
import { type Machine, manifestPath, secretFile, secretPath } from './plan.ts'
import type { Named } from './presets.ts'
import { INSTALLATIONS, type Installation, type ProxyName } from './questions.ts'

/** Folders of the files, unless `--write` names another. */
const ROOTS: Readonly<Record<Installation, string>> = { systemd: '/', compose: '/opt/latchkey' }

export const rootOf = (install: Installation, write: string | undefined): string => write ?? ROOTS[install]

/** An earlier setup. */
export interface Earlier {
  readonly root: string
  readonly manifest: Manifest
  /** Contents of the secrets that were entered, by the name of their setting. */
  readonly secrets: Named
}

/** Undefined if there was no earlier setup. */
export function findEarlier(write: string | undefined): Earlier | undefined {
  for (const install of INSTALLATIONS) {
    const root = rootOf(install, write)
    const manifest = readManifest(join(root, manifestPath(install)))
    if (manifest) return { root, manifest, secrets: storedSecrets(root, manifest) }
  }
  return undefined
}

function storedSecrets(root: string, { install, secrets }: Manifest): Named {
  const contents = secrets.map((name) => [name, readSecret(root, install, secretFile(name))] as const)
  return Object.fromEntries(
    contents.flatMap(([name, content]) => (content === undefined ? [] : [[name, content]])),
  )
}

/** The content of a secret, without the line end that editors add. */
function readSecret(root: string, install: Installation, file: string): string | undefined {
  return readIfPresent(join(root, secretPath(install, file)))
    ?.toString('utf8')
    .replace(/[\r\n]+$/, '')
}

/** The machine on which setup runs, as far as the answers do not say it. */
export function findMachine(
  answers: Answers,
  write: string | undefined,
  earlier: Earlier | undefined,
): Machine {
  const install = answers.install ?? earlier?.manifest.install ?? findInstallation()
  const root = rootOf(install, write)
  return {
    install,
    root,
    proxy: answers.proxy ?? earlier?.manifest.proxy ?? (install === 'compose' ? 'caddy' : findProxy()),
    readSecret: (file) => readSecret(root, install, file),
  }
}

function findInstallation(): Installation {
  const isSystemd = existsSync('/run/systemd/system') || Bun.which('systemctl') !== null
  return isSystemd || Bun.which('docker') === null ? 'systemd' : 'compose'
}

function findProxy(): ProxyName {
  return (['caddy', 'nginx', 'traefik'] as const).find((name) => findProgram(name) !== null) ?? 'caddy'
}

/** The path of a program; daemons are not on the PATH of every user. */
export function findProgram(name: string): string | null {
  return Bun.which(name, { PATH: `${process.env['PATH']}:/usr/sbin:/usr/local/sbin` })
}
