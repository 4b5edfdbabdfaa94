import { existsSync } from 'node:fs'
import { join } from 'node:path'
import linksUnit from '../../../../deploy/systemd/latchkey-links.service' with { type: 'text' }
import roomsUnit from '../../../../deploy/systemd/latchkey-rooms.service' with { type: 'text' }
import sysusers from '../../../../deploy/systemd/latchkey.sysusers' with { type: 'text' }
import type { PlannedFile, Secret, ServiceName } from './plan.ts'

const SERVICES = ['links', 'rooms'] as const
const UNITS: Readonly<Record<ServiceName, string>> = { links: linksUnit, rooms: roomsUnit }
/** Folders in which packages put units. */
const PACKAGE_FOLDERS = ['usr/lib/systemd/system', 'lib/systemd/system']
/** The folder of both services, which the units let them write to. */
const STATE_FOLDER = '/var/lib/latchkey'

interface Systemd {
  /** The folder that takes the place of `/`. */
  readonly root: string
  readonly data: string
  readonly secrets: readonly Secret[]
}

/** A drop-in for each service and, where no package has installed them, the units. */
export function systemdFiles({ root, data, secrets }: Systemd): PlannedFile[] {
  const isPackaged = PACKAGE_FOLDERS.some((folder) =>
    existsSync(join(root, folder, 'latchkey-links.service')),
  )
  const dropIns = SERVICES.map((service) => ({
    path: `/etc/systemd/system/latchkey-${service}.service.d/setup.conf`,
    text: dropIn(service, data, secrets),
  }))
  if (isPackaged) return dropIns
  return [
    { path: '/etc/sysusers.d/latchkey.conf', text: sysusers },
    ...SERVICES.map((service) => ({
      path: `/etc/systemd/system/latchkey-${service}.service`,
      text: UNITS[service].replace(/^ExecStart=\S+/m, `ExecStart=${ownPath()}`),
    })),
    ...dropIns,
  ]
}

/** The path of this program, unless it runs from a clone. */
function ownPath(): string {
  return Bun.isStandaloneExecutable ? process.execPath : '/usr/local/bin/latchkey'
}

function dropIn(service: ServiceName, data: string, secrets: readonly Secret[]): string {
  const isElsewhere = data !== STATE_FOLDER && !data.startsWith(`${STATE_FOLDER}/`)
  return [
    '# Written by latchkey setup.',
    '[Service]',
    ...secrets.flatMap(({ file, settings }) => {
      const setting = settings[service]
      if (setting === undefined) return []
      return [`LoadCredential=${file}:/etc/latchkey/${file}`, `Environment=${setting}_FILE=%d/${file}`]
    }),
    ...(isElsewhere ? [`ReadWritePaths=${data}`] : []),
    '',
  ].join('\n')
}
