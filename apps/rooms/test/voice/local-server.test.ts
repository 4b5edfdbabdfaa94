// LiveKit as a child process of Rooms.
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { freePort } from '@latchkey/http/free-port'
import { checksumPath, findServer, hashFile } from '../../src/voice/livekit/local-server.ts'
import { refusal } from '../actions.ts'
import { type Live, listen } from '../realtime/live.ts'
import { childrenOf, startProcess } from '../files/process.ts'
import { type TestRooms, openRooms } from '../rooms.ts'
import { until } from '../until.ts'
import { MESH, leaveCall, sendJoin, threeInCall } from './call.ts'
import { CallClient, asBrowser, joinLiveKit } from './livekit-client.ts'
import { livekitProgram } from './livekit-server.ts'

test('R33.1c: a LiveKit server that is missing or was changed does not start', () => {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-livekit-'))
  const installed = join(folder, 'livekit-server')
  writeFileSync(installed, 'a program')
  expect(() => findServer('/no/such/program')).toThrow(
    'ROOMS_LIVEKIT_SERVER: /no/such/program is not a program',
  )
  expect(() => findServer('auto', installed)).toThrow('is not what was installed, by its checksum')
  writeFileSync(checksumPath(installed), `${hashFile(installed)}  livekit-server\n`)
  expect(findServer('auto', installed)).toBe(installed)
  copyFileSync('/etc/hostname', installed)
  expect(() => findServer('auto', installed)).toThrow('run latchkey voice install')
  rmSync(folder, { recursive: true })
})

const canTry = livekitProgram !== null && livekitProgram !== ''

describe.skipIf(!canTry)('LiveKit as a child process', () => {
  let rooms: TestRooms
  let live: Live
  let clock: ReturnType<typeof setInterval>
  beforeAll(async () => {
    const localServer = {
      program: livekitProgram ?? '',
      udpPort: await freePort(),
      tcpPort: await freePort(),
      address: '127.0.0.1',
      stunUrls: [],
    }
    rooms = await openRooms({
      settings: { voice: { ...MESH, mode: 'livekit', localServer } },
      limits: { voice_joins_per_minute: 1000 },
    })
    rooms.clock.ms = Date.now()
    clock = setInterval(() => (rooms.clock.ms = Date.now()), 50)
    live = listen(rooms.rooms)
    rooms.rooms.hub.start()
    rooms.rooms.localServer?.start(`http://127.0.0.1:${live.port}/api/livekit/webhook`)
    const url = rooms.rooms.localServer?.settings.url ?? ''
    await until(async () => (await fetch(url).catch(() => undefined))?.ok === true)
  })
  afterAll(async () => {
    await live.stop()
    await rooms.close()
    clearInterval(clock)
  })

  const metrics = () => rooms.rooms.metrics.registry.metrics()
  const pid = () => rooms.rooms.localServer?.pid

  test('R33.1: it carries a call, is started again after it was killed, and sends webhooks', async () => {
    await until(() => pid() !== undefined)
    const { roomId, owner, speaker } = await threeInCall(rooms, live)
    const sides = [asBrowser(live.port, owner), asBrowser(live.port, speaker)] as const
    const connect = async (from: 0 | 1, caller: typeof owner) =>
      new CallClient().connect(sides[from].url, (await joinLiveKit(caller, roomId)).token)
    const [listening, talking] = [await connect(0, owner), await connect(1, speaker)]
    await talking.speak()
    await listening.waitForSound(`${speaker.user.id}:${speaker.connectionId}`)
    await until(async () => /livekit_webhooks_total{result="applied"} [1-9]/.test(await metrics()))
    // They would connect again, and take the place of the client that comes later.
    await Promise.all([listening.close(), talking.close()])
    const before = pid() ?? 0
    process.kill(before, 'SIGKILL')
    await until(() => pid() !== before)
    await leaveCall(owner, roomId)
    await until(async () => (await sendJoin(owner, roomId)).status === 200)
    expect(pid()).not.toBe(before)
    const again = await connect(0, owner)
    expect(again.room.isConnected).toBe(true)
    await again.close()
    for (const side of sides) await side.stop()
  })

  test('R33.1: it is in no list of arguments with its secret, and ends with the service', async () => {
    const child = pid() ?? 0
    expect(readFileSync(`/proc/${child}/cmdline`, 'utf8')).not.toContain('keys')
    const service = await startProcess({
      ROOMS_VOICE: 'livekit',
      ROOMS_LIVEKIT_SERVER: livekitProgram ?? '',
      ROOMS_VOICE_UDP_PORT: String(await freePort()),
      ROOMS_VOICE_TCP_PORT: String(await freePort()),
      ROOMS_VOICE_ADDRESS: '127.0.0.1',
    })
    const servers = () => childrenOf(service.service.pid).filter((id) => commandOf(id) === livekitProgram)
    await until(() => servers().length > 0)
    const started = servers()
    await service.service.kill()
    await until(() => started.every((id) => !isRunning(id)))
    await service.restart()
    await until(() => servers().length > 0)
    const restarted = servers()
    await service.service.stop()
    expect(restarted.filter((id) => isRunning(id))).toEqual([])
    await service.close()
  })

  test('R33.3: while it is not there, joining is refused in a sentence', async () => {
    const { roomId, listener } = await threeInCall(rooms, live)
    await leaveCall(listener, roomId)
    await rooms.rooms.localServer?.stop()
    expect(await refusal(await sendJoin(listener, roomId))).toEqual([503, 'voice_unavailable'])
  })
})

/**
 * Path of the program that a process runs. A server that is still to be started by setpriv would
 * outlive Rooms.
 */
function commandOf(id: number): string | undefined {
  return readFileSync(`/proc/${id}/cmdline`, 'utf8').split('\0', 1)[0]
}

function isRunning(id: number): boolean {
  try {
    return !/^\d+ \(.*\) Z/.test(readFileSync(`/proc/${id}/stat`, 'utf8'))
  } catch {
    return false
  }
}
