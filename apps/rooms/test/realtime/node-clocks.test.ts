import { describe, expect, test } from 'bun:test'
import { eachDialect } from '@latchkey/database/testing'
import { Pool } from 'pg'
import { createMessage, createRoom, member } from '../actions.ts'
import { ALICE } from '../provider/hostile.ts'
import { type Browser, type TestRooms, ORIGIN, openRooms } from '../rooms.ts'
import { until } from '../until.ts'
import { type Live, LiveSocket, listen } from './live.ts'

eachDialect((dialect, newUrl) => {
  if (dialect === 'postgres')
    describe('nodes whose clocks differ', () => {
      for (const seconds of [20, 60, 120, -120])
        test(`R19.4: with ${seconds} s between them, everyone stays, and tickets and logins work in both directions`, async () => {
          const url = await newUrl()
          const right = await openRooms({ url, machineAheadMs: 0 })
          const off = await openRooms({
            url,
            machineAheadMs: seconds * 1000,
            shared: right,
          })
          const nodes = [right, off].map((service) => ({ service, live: listen(service.rooms) }))
          const people = [await member(right, 'Olga'), await member(off, 'Bob')] as const
          const { id } = await createRoom(people[0])
          const sockets = nodes.map(({ live }, index) => live.connect(people[index === 0 ? 0 : 1].browser))
          for (const socket of sockets) await socket.subscribe(id)
          for (let round = 0; round < 3; round++)
            for (const { service } of nodes) {
              await service.rooms.hub.tick()
              await service.rooms.hub.reconciler.checkPerson(people[0].user.id)
              await service.rooms.hub.leases.check()
              await service.rooms.jobs.runDue()
            }
          for (const person of people) await createMessage(person, id, 'still here')
          // As a bus announces it.
          for (const { service } of nodes) service.rooms.hub.handle({ kind: 'last_seq', roomId: id, seq: 2 })
          for (const socket of sockets) {
            await socket.frame(({ type, seq }) => type === 'event' && seq === 2)
            expect(socket.frames.filter(({ type }) => type === 'room.removed')).toEqual([])
            expect(socket.isClosed).toBe(false)
          }
          for (const [from, to] of [nodes, nodes.toReversed()] as [(typeof nodes)[0], (typeof nodes)[0]][]) {
            expect(await opensByTicket(people[0].browser, from.service, to)).toBe('welcome')
            expect(await signInAcross(from.service, to.service)).toBe('/')
          }
          for (const { live } of nodes) await live.stop()
          await off.close()
          await right.close()
        })

      test('R19.4: a difference above 10 s is logged once and when it is over, counted, and reported by ready', async () => {
        const machine = { aheadMs: 0 }
        const right = await openRooms({ url: await newUrl(), machineAheadMs: () => machine.aheadMs })
        const measureTwice = async () => {
          for (let heartbeat = 0; heartbeat < 2; heartbeat++) await right.rooms.measureClock()
        }
        const warnings = () => right.logLines.filter((line) => line.includes('"clock: '))
        const stateOf = async () => {
          const { status, checks } = await right.browser().json<ReadyJson>('/api/ready')
          return [status, checks.clock, Math.round(await gauge(right)) + 0]
        }
        await measureTwice()
        expect(warnings()).toEqual([])
        expect(await stateOf()).toEqual(['ready', 'ok', 0])
        for (const [aheadMs, clock] of [
          [11_000, 'ahead'],
          [-3_600_000, 'behind'],
        ] as const) {
          machine.aheadMs = aheadMs
          await measureTwice()
          expect(await stateOf()).toEqual(['ready', clock, aheadMs / 1000])
          machine.aheadMs = 0
          await measureTwice()
          expect(await stateOf()).toEqual(['ready', 'ok', 0])
        }
        expect(warnings().map((line) => (JSON.parse(line) as { level: string }).level)).toEqual([
          'warn',
          'info',
          'warn',
          'info',
        ])
        await right.close()
      })
    })

  if (dialect === 'postgres')
    describe('a database whose clock steps', () => {
      for (const seconds of [180, -180])
        test(`R19.4: by ${seconds} s removes no one, whichever node reads it first`, async () => {
          const url = await newUrl()
          const step = await steppingClock(url)
          const first = await openRooms({ url: step.url, machineAheadMs: 0 })
          const second = await openRooms({ url: step.url, machineAheadMs: 0, shared: first })
          const nodes = [first, second].map((service) => ({ service, live: listen(service.rooms) }))
          const ada = await member(first)
          const { id } = await createRoom(ada)
          const sockets = nodes.map(({ live }) => live.connect(ada.browser))
          for (const socket of sockets) await socket.subscribe(id)
          await step.by(seconds)
          for (const { service } of nodes) {
            await service.rooms.measureClock()
            await service.rooms.jobs.runDue()
            for (const other of nodes) await other.service.rooms.hub.leases.check()
          }
          for (const socket of sockets) {
            await socket.settle()
            expect(socket.frames.filter(({ type }) => type === 'room.removed')).toEqual([])
            expect(socket.isClosed).toBe(false)
          }
          for (const { live } of nodes) await live.stop()
          await second.close()
          await first.close()
        })
    })

  test('R18.7 R19.4: a step of the wall clock closes no socket and removes no one', async () => {
    const machine = { aheadMs: 0 }
    const service = await openRooms({ url: await newUrl(), machineAheadMs: () => machine.aheadMs })
    await staysThroughSteps(service, machine)
  })
})

/** A database of PostgreSQL whose clock can be set, as after a failover to another machine. */
async function steppingClock(url: string): Promise<{ url: string; by(seconds: number): Promise<void> }> {
  const own = new URL(url)
  own.searchParams.set('options', '-csearch_path=public,pg_catalog')
  const by = async (seconds: number) => {
    const pool = new Pool({ connectionString: url })
    await pool.query(`create or replace function clock_timestamp() returns timestamptz language sql as
      $$ select pg_catalog.clock_timestamp() + interval '${seconds} seconds' $$`)
    await pool.end()
  }
  await by(0)
  return { url: own.href, by }
}

interface ReadyJson {
  status: string
  checks: { clock: string }
}

async function gauge({ rooms }: TestRooms): Promise<number> {
  const metric = await rooms.metrics.registry.getSingleMetric('latchkey_rooms_clock_ahead_seconds')?.get()
  return Number(metric?.values[0]?.value)
}

async function staysThroughSteps(service: TestRooms, machine: { aheadMs: number }): Promise<void> {
  const live = listen(service.rooms)
  const ada = await member(service)
  const { id } = await createRoom(ada)
  const socket = live.connect(ada.browser)
  await socket.subscribe(id)
  for (const aheadMs of [45_000, 3_600_000, 0, -3_600_000, 0]) {
    machine.aheadMs = aheadMs
    for (let second = 0; second < 3; second++) await service.rooms.hub.tick()
    await service.rooms.hub.leases.check()
    await socket.settle()
  }
  expect(socket.frames.filter(({ type }) => type === 'room.removed')).toEqual([])
  expect(socket.isClosed).toBe(false)
  await live.stop()
  await service.close()
}

/** The first frame, or the close code, of a socket opened at one node with a ticket of another. */
async function opensByTicket(
  { cookies }: Browser,
  from: TestRooms,
  { live }: { live: Live },
): Promise<string | number> {
  const { ticket } = await at(from, cookies).json<{ ticket: string }>('/api/ws-ticket', { body: {} }, 201)
  const socket = new LiveSocket(live.port, {
    origin: null,
    protocols: ['latchkey.v1', `latchkey.ticket.${ticket}`],
  })
  await until(() => socket.frames.length > 0 || socket.isClosed)
  const outcome = socket.frames[0]?.type ?? (await socket.closed).code
  socket.close()
  return outcome
}

/** Where a login ends that begins at one node and comes back to the other. */
async function signInAcross(from: TestRooms, to: TestRooms): Promise<string> {
  const first = from.browser()
  const callback = from.idp.authorize(await first.startLogin('/'), ALICE)
  const answer = await at(to, first.cookies).send(callback)
  return (answer.headers.get('location') ?? '').replace(ORIGIN, '')
}

function at(service: TestRooms, cookies: ReadonlyMap<string, string>): Browser {
  const browser = service.browser()
  for (const [name, value] of cookies) browser.cookies.set(name, value)
  return browser
}
