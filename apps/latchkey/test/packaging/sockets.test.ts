import { describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { declarations as ofLinks } from '@latchkey/links/settings/declarations'
import { declarations as ofRooms } from '@latchkey/rooms/settings/declarations'
import { parseSettings } from '@latchkey/settings/settings'

const UNITS = join(import.meta.dir, '../../../../deploy/systemd')
const portOf = (declaration: (typeof ofLinks)['port']) => parseSettings({ port: declaration }, {}).port

describe.each([
  ['latchkey-links', portOf(ofLinks.port)],
  ['latchkey-rooms', portOf(ofRooms.port)],
])('deploy/systemd/%s.socket', (name, port) => {
  const socket = readFileSync(join(UNITS, `${name}.socket`), 'utf8')
  const service = readFileSync(join(UNITS, `${name}.service`), 'utf8')

  test('O4.2a: listens on the default port of the service, on this machine only', () => {
    expect(/^ListenStream=(.*)$/m.exec(socket)?.[1]).toBe(`127.0.0.1:${port}`)
  })

  test('O4.2a: is started and enabled with the service', () => {
    expect(service).toContain(`\nRequires=${name}.socket\n`)
    expect(service).toContain(`\nAlso=${name}.socket\n`)
  })
})
