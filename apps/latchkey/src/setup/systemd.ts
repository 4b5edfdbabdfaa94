import { existsSync } from 'node:fs'
import { join } from 'node:path'
import linksSocket from '../../../../deploy/systemd/latchkey-links.socket' with { type: 'text' }
import roomsSocket from '../../../../deploy/systemd/latchkey-rooms.socket' with { type: 'text' }
import linksUnit from '../../../../deploy/systemd/latchkey-links.service' with { type: 'text' }
import roomsUnit from '../../../../deploy/systemd/latchkey-rooms.service' with { type: 'text' }
import sysusers from '../../../../deploy/systemd/latchkey.sysusers' with { type: 'text' }
import tmpfiles from '../../../../deploy/systemd/latchkey.tmpfiles' with { type: 'text' }
import type { PlannedFile, Secret, ServiceName } from './plan.ts'

const SERVICES = ['links', 'rooms'] as const
const UNITS: Readonly<Record<ServiceName, string>> = { links: linksUnit, rooms: roomsUnit }
const SOCKETS: Readonly<Record<ServiceName, string>> = { links: linksSocket, rooms: roomsSocket }
/** Folders in which packages put units. */
const PACKAGE_FOLDERS = ['usr/lib/systemd/system', 'lib/systemd/system']
/** The folder of both services, which the units let them write to. */
const STATE_FOLDER = '/var/lib/latchkey'

interface Systemd {
  /** The folder that takes the place of `/`. */
  readonly root: string
  readonly data: string
  /** Where each service listens. */
  readonly addresses: Readonly<Record<ServiceName, string>>
  readonly secrets: readonly Secret[]
}

/**
 * A drop-in for each service, one for its socket if that has another address, and the units where no
 * package has installed them.
 */
export function systemdFiles({ root, data, addresses, secrets }: Systemd): PlannedFile[] {
  const isPackaged = PACKAGE_FOLDERS.some((folder) =>
    existsSync(join(root, folder, 'latchkey-links.service')),
  )
  const dropIns = SERVICES.flatMap((service) => [
    {
      path: `/etc/systemd/system/latchkey-${service}.service.d/setup.conf`,
      text: dropIn(service, data, secrets),
    },
    ...socketDropIns(service, addresses[service]),
  ])
  if (isPackaged) return dropIns
  return [
    { path: '/etc/sysusers.d/latchkey.conf', text: sysusers },
    { path: '/etc/tmpfiles.d/latchkey.conf', text: tmpfiles },
    ...SERVICES.flatMap((service) => [
      {
        path: `/etc/systemd/system/latchkey-${service}.service`,
        text: UNITS[service].replace(/^ExecStart=\S+/m, `ExecStart=${ownPath()}`),
      },
      { path: `/etc/systemd/system/latchkey-${service}.socket`, text: SOCKETS[service] },
    ]),
    ...dropIns,
  ]
}

/** The path of this program, unless it runs from a clone. */
function ownPath(): string {
  return Bun.isStandaloneExecutable ? process.execPath : '/usr/local/bin/latchkey'
}

/** systemd holds the port, which is also a setting of the service. */
function socketDropIns(service: ServiceName, address: string): PlannedFile[] {
  if (SOCKETS[service].includes(`=${address}\n`)) return []
  const lines = ['# Written by latchkey setup.', '[Socket]', 'ListenStream=', `ListenStream=${address}`, '']
  return [{ path: `/etc/systemd/system/latchkey-${service}.socket.d/setup.conf`, text: lines.join('\n') }]
}

function dropIn(service: ServiceName, data: string, secrets: readonly Secret[]): string {
  const isElsewhere = data !== STATE_FOLDER && !data.startsWith(`${STATE_FOLDER}/`)
  return [
    '# Written by latchkey setup.',
    '[Service]',
    ...secrets.flatMap(({ file, settings, dependents }) => {
      const setting = settings[service]
      if (setting === undefined) return []
      const lines = Object.entries(dependents?.[service] ?? {}).map(
        ([name, value]) => `Environment=${name}=${value}`,
      )
      return [
        `LoadCredential=${file}:/etc/latchkey/${file}`,
        `Environment=${setting}_FILE=%d/${file}`,
        ...lines,
      ]
    }),
    ...(isElsewhere ? [`ReadWritePaths=${data}`] : []),
    '',
  ].join('\n')
}
