import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { type Database, openDatabase } from '@latchkey/database/database'
import { migrate } from '@latchkey/database/migrate'
import { eachDialect } from '@latchkey/database/testing'
import { createLog } from '@latchkey/http/log'
import { migrations } from '../../src/db/migrations.ts'
import type { SessionRow, Tables, UserRow } from '../../src/db/tables.ts'
import { identityJobs } from '../../src/jobs/identity.ts'
import type { Job, JobResult } from '../../src/jobs/job.ts'
import { Scheduler } from '../../src/jobs/scheduler.ts'
import type { ClusterEvent } from '../../src/api/cluster-events.ts'
import { namesOf } from '../../src/users/names.ts'
import { NOON } from '../rooms.ts'
import { insertRoom } from '../../src/rooms/store.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

eachDialect((_dialect, newUrl) => {
  let database: Database<Tables>
  beforeAll(async () => {
    database = openDatabase<Tables>(await newUrl())
    await migrate(database, migrations)
  })
  afterAll(() => database.close())

  const run = async (name: string, nowMs = NOON) => {
    const job = identityJobs.find((each) => each.name === name)
    if (!job) throw new Error(`No job is called ${name}`)
    for (;;) {
      const outcome = await database.write((tx) => job.run(tx, nowMs))
      if (outcome !== 'more' && !outcome?.isMore) return
    }
  }
  async function addUser(user: Partial<UserRow> = {}): Promise<string> {
    const id = crypto.randomUUID()
    const usual = {
      ...namesOf('Somebody'),
      email: null,
      avatar_color: '#000000',
      disabled: 0,
      is_guest: 0,
    } as const
    const times = { created_at: NOON, last_seen_at: NOON, guest_ended_at: null }
    await database.write((tx) =>
      tx
        .insertInto('users')
        .values({ id, ...usual, ...times, ...user })
        .execute(),
    )
    return id
  }
  function newSession(userId: string, session: Partial<SessionRow>): SessionRow {
    const id = crypto.randomUUID()
    return {
      id,
      user_id: userId,
      token_hash: id,
      idp_issuer: null,
      idp_sub: null,
      idp_sid: null,
      id_token_sealed: 'sealed',
      login_at: NOON,
      created_at: NOON,
      last_seen_at: NOON,
      idle_expires_at: NOON + HOUR,
      absolute_expires_at: NOON + DAY,
      revoked_at: null,
      revoke_reason: null,
      user_agent: '',
      client_ip: '192.0.2.1',
      ...session,
    }
  }
  async function addSession(userId: string, session: Partial<SessionRow>): Promise<string> {
    const row = newSession(userId, session)
    await database.write((tx) => tx.insertInto('sessions').values(row).execute())
    return row.id
  }
  async function addRoom(ownerId: string): Promise<void> {
    const room = {
      id: crypto.randomUUID(),
      name: 'Quay',
      created_by: ownerId,
      owner_id: ownerId,
      owner_since: NOON,
      max_participants: 50,
      visibility: 'public',
      allow_guests: 1,
      default_role: 'listener',
      history_visibility: 'all',
      retention_days: 30,
      voice: 'video',
      voice_screen: 1,
      voice_guests: 'listen',
      last_seq: 0,
      created_at: NOON,
      active_at: NOON,
    } as const
    await database.write((tx) => insertRoom(tx, room))
  }
  const auditEvent = (id: string, createdAt: number) => ({
    id,
    actor_user_id: null,
    action: 'auth.login',
    target_type: null,
    target_id: null,
    metadata: '{}',
    client_ip: null,
    request_id: null,
    created_at: createdAt,
  })
  const idsOf = async (table: 'users' | 'sessions' | 'audit_events') =>
    (await database.read.selectFrom(table).select('id').execute()).map(({ id }) => id)
  const sessionOf = (id: string) =>
    database.read.selectFrom('sessions').selectAll().where('id', '=', id).executeTakeFirst()

  describe('R28.4: after each job the expired rows are deleted, and no live row is', () => {
    test('login states', async () => {
      const state = (hash: string, expiresAt: number) => ({
        state_hash: hash,
        nonce_hash: null,
        verifier_sealed: null,
        redirect_uri: '',
        return_path: '/',
        config_fingerprint: '',
        browser_hash: '',
        client_prefix: '',
        created_at: NOON - HOUR,
        expires_at: expiresAt,
        consumed_at: null,
      })
      await database.write((tx) =>
        tx
          .insertInto('login_states')
          .values([
            state('live', NOON + 1),
            state('over', NOON),
            { ...state('used', NOON - 1), consumed_at: NOON - MINUTE },
            { ...state('used-live', NOON + 1), consumed_at: NOON - MINUTE },
          ])
          .execute(),
      )
      await run('login-states')
      const left = await database.read.selectFrom('login_states').select('state_hash').execute()
      expect(left.map(({ state_hash }) => state_hash).toSorted()).toEqual(['live', 'used-live'])
    })

    test('R21.1b: logout tokens and markers', async () => {
      const marker = { issuer: 'i', kind: 'sub', iat: 1, received_at: NOON - HOUR } as const
      await database.write(async (tx) => {
        await tx
          .insertInto('logout_tokens')
          .values([
            { issuer: 'i', jti: 'live', expires_at: NOON + 1 },
            { issuer: 'i', jti: 'over', expires_at: NOON },
          ])
          .execute()
        await tx
          .insertInto('logout_markers')
          .values([
            { ...marker, value: 'live', expires_at: NOON + 1 },
            { ...marker, value: 'over', expires_at: NOON },
          ])
          .execute()
      })
      await run('logout-tokens')
      await run('logout-markers')
      expect(await database.read.selectFrom('logout_tokens').select('jti').execute()).toEqual([
        { jti: 'live' },
      ])
      expect(await database.read.selectFrom('logout_markers').select('value').execute()).toEqual([
        { value: 'live' },
      ])
    })

    test('sessions that have expired are marked with the time of their expiry, and their ID token is deleted', async () => {
      const guest = await addUser({ is_guest: 1 })
      const member = await addUser()
      const expired = await addSession(guest, { idle_expires_at: NOON - MINUTE })
      const expiredMember = await addSession(member, { idle_expires_at: NOON })
      const live = await addSession(member, { idle_expires_at: NOON + 1 })
      const revoked = await addSession(member, {
        idle_expires_at: NOON - DAY,
        revoked_at: NOON - 2 * DAY,
        revoke_reason: 'signed_out',
      })
      await run('expired-sessions')
      expect(await sessionOf(expired)).toMatchObject({
        revoked_at: NOON - MINUTE,
        revoke_reason: 'expired',
        id_token_sealed: null,
      })
      expect(await sessionOf(expiredMember)).toMatchObject({ revoked_at: NOON, revoke_reason: 'expired' })
      expect(await sessionOf(live)).toMatchObject({ revoked_at: null, id_token_sealed: 'sealed' })
      expect(await sessionOf(revoked)).toMatchObject({
        revoked_at: NOON - 2 * DAY,
        revoke_reason: 'signed_out',
      })
      const ends = await database.read
        .selectFrom('users')
        .select(['id', 'guest_ended_at'])
        .where('id', 'in', [guest, member])
        .execute()
      expect(new Map(ends.map((row) => [row.id, row.guest_ended_at]))).toEqual(
        new Map([
          [guest, NOON - MINUTE],
          [member, null],
        ]),
      )
    })

    test('R21.1d: sessions are deleted 30 days after their end', async () => {
      const user = await addUser()
      const ended = { revoke_reason: 'signed_out', idle_expires_at: NOON } as const
      const old = await addSession(user, { ...ended, revoked_at: NOON - 30 * DAY })
      const recent = await addSession(user, { ...ended, revoked_at: NOON - 30 * DAY + 1 })
      const live = await addSession(user, { created_at: NOON - 60 * DAY })
      await run('old-sessions')
      const left = await idsOf('sessions')
      expect(left).not.toContain(old)
      expect(left).toEqual(expect.arrayContaining([recent, live]))
    })

    test('guests are deleted 7 days after their last session; members and guests with a live session stay', async () => {
      const gone = await addUser({ is_guest: 1, guest_ended_at: NOON - 7 * DAY })
      const goneSession = await addSession(gone, {
        revoked_at: NOON - 7 * DAY,
        revoke_reason: 'signed_out',
      })
      const recent = await addUser({ is_guest: 1, guest_ended_at: NOON - 7 * DAY + 1 })
      const back = await addUser({ is_guest: 1, guest_ended_at: NOON - 8 * DAY })
      await addSession(back, {})
      const present = await addUser({ is_guest: 1 })
      const member = await addUser({ last_seen_at: 0 })
      // An owner of a room is deleted as well. What happens to the room is tested with ownership.
      const owner = await addUser({ is_guest: 1, guest_ended_at: NOON - 8 * DAY })
      await addRoom(owner)
      await run('guests')
      const left = await idsOf('users')
      expect(left).not.toContain(owner)
      expect(left).not.toContain(gone)
      expect(await sessionOf(goneSession)).toBeUndefined()
      expect(left).toEqual(expect.arrayContaining([recent, back, present, member]))
    })

    test('sessions and audit events are deleted a thousand at a time', async () => {
      for (const name of ['expired-sessions', 'old-sessions', 'audit']) await run(name, NOON + 30 * DAY)
      const guestId = await addUser({ is_guest: 1 })
      const lasting = await addSession(guestId, { idle_expires_at: NOON + HOUR })
      const sessions = Array.from({ length: 1_200 }, () =>
        newSession(guestId, { idle_expires_at: NOON - HOUR }),
      )
      const many = new Set(sessions.map(({ id }) => id))
      const events = [...many].map((id) => auditEvent(id, NOON - 365 * DAY))
      await database.write(async (tx) => {
        for (let at = 0; at < many.size; at += 400) {
          await tx
            .insertInto('sessions')
            .values(sessions.slice(at, at + 400))
            .execute()
          await tx
            .insertInto('audit_events')
            .values(events.slice(at, at + 400))
            .execute()
        }
      })
      const once = (name: string, nowMs: number) =>
        database.write(
          (tx) => identityJobs.find((job) => job.name === name)?.run(tx, nowMs) as Promise<JobResult>,
        )
      const count = async (ids: Promise<readonly string[]>) => (await ids).filter((id) => many.has(id)).length
      const notEnded = async () =>
        (
          await database.read.selectFrom('sessions').select('id').where('revoked_at', 'is', null).execute()
        ).map(({ id }) => id)

      expect(await once('expired-sessions', NOON)).toBe('more')
      expect(await count(notEnded())).toBe(200)
      expect(await once('expired-sessions', NOON)).toBeUndefined()
      expect(await count(notEnded())).toBe(0)
      expect(await once('old-sessions', NOON + 30 * DAY)).toBe('more')
      expect(await count(idsOf('sessions'))).toBe(200)
      expect(await once('old-sessions', NOON + 30 * DAY)).toBeUndefined()
      expect(await count(idsOf('sessions'))).toBe(0)
      expect(await once('audit', NOON)).toBe('more')
      expect(await count(idsOf('audit_events'))).toBe(200)
      expect(await once('audit', NOON)).toBeUndefined()
      expect(await count(idsOf('audit_events'))).toBe(0)
      expect(await sessionOf(lasting)).toMatchObject({ revoked_at: null })
    }, 30_000)

    test('R21.1e: audit events are deleted after 365 days', async () => {
      await database.write((tx) =>
        tx
          .insertInto('audit_events')
          .values([auditEvent('over', NOON - 365 * DAY), auditEvent('kept', NOON - 365 * DAY + 1)])
          .execute(),
      )
      await run('audit')
      const left = await idsOf('audit_events')
      expect(left).toContain('kept')
      expect(left).not.toContain('over')
    })
  })

  describe('the scheduler', () => {
    let clock: number
    const observed: [string, boolean][] = []
    const logged: string[] = []
    const publishedEvents: ClusterEvent[] = []
    const node = (jobs: readonly Job[]) =>
      new Scheduler(jobs, {
        database,
        log: createLog({ write: (line) => void logged.push(line) }),
        now: () => clock,
        observe: (job, ok) => void observed.push([job, ok]),
        publish: (event) => void publishedEvents.push(event),
      })
    const counting = (name: string, everyMs = HOUR) => {
      const runs: number[] = []
      return {
        runs,
        job: { name, everyMs, run: async (_tx: unknown, nowMs: number) => void runs.push(nowMs) },
      }
    }

    test('runs a job when it is due and not before, once in the whole cluster', async () => {
      clock = NOON
      const { runs, job } = counting('once')
      const nodes = [node([job]), node([job]), node([job])]
      const runAll = () => Promise.all(nodes.map((each) => each.runDue()))
      await runAll()
      expect(runs).toEqual([NOON])
      clock = NOON + HOUR - 1
      await runAll()
      expect(runs).toEqual([NOON])
      clock = NOON + HOUR
      await runAll()
      await runAll()
      expect(runs).toEqual([NOON, NOON + HOUR])
      expect(observed.filter(([name]) => name === 'once')).toEqual([
        ['once', true],
        ['once', true],
      ])
    })

    test('R21.1: a job that fails leaves no changes, stops no other job, is counted and logged, and is tried again', async () => {
      clock = NOON
      let failing = true
      const broken: Job = {
        name: 'broken',
        everyMs: HOUR,
        async run(tx) {
          await tx.insertInto('platform_state').values({ key: 'left', value: '', updated_at: 0 }).execute()
          if (failing) throw new Error('no luck')
        },
      }
      const other = counting('other')
      const scheduler = node([broken, other.job])
      await scheduler.runDue()
      const findLeftState = () =>
        database.read.selectFrom('platform_state').selectAll().where('key', '=', 'left').executeTakeFirst()
      expect(await findLeftState()).toBeUndefined()
      expect(other.runs).toEqual([NOON])
      expect(observed).toContainEqual(['broken', false])
      expect(logged.join('')).toContain('no luck')
      failing = false
      clock += 1
      await scheduler.runDue()
      expect(await findLeftState()).toBeDefined()
      expect(other.runs).toEqual([NOON])
    })

    test('a job that fails after some batches is tried again at the next tick', async () => {
      clock = NOON
      const runs: number[] = []
      const pieces: Job = {
        name: 'pieces',
        everyMs: HOUR,
        async run(_tx, nowMs) {
          runs.push(nowMs)
          if (runs.length === 2) throw new Error('no luck')
          return runs.length === 1 ? 'more' : undefined
        },
      }
      const failed = node([pieces])
      await failed.runDue()
      expect(runs).toEqual([NOON, NOON])
      clock += 5_000
      await failed.runDue()
      await node([pieces]).runDue()
      expect(runs).toEqual([NOON, NOON, clock])
      expect(observed.filter(([name]) => name === 'pieces')).toEqual([
        ['pieces', false],
        ['pieces', true],
      ])
    })

    test('the events of a job are published after its commit, and not if it failed', async () => {
      clock = NOON
      publishedEvents.length = 0
      const event: ClusterEvent = { kind: 'presence', roomId: 'r' }
      let failing = true
      const telling: Job = {
        name: 'telling',
        everyMs: HOUR,
        async run(tx) {
          const row = { key: 'told', value: '', updated_at: 0 }
          await tx.insertInto('platform_state').values(row).execute()
          // Violates the key, which rolls the whole transaction back.
          if (failing) await tx.insertInto('platform_state').values(row).execute()
          return { events: [event] }
        },
      }
      const scheduler = node([telling])
      await scheduler.runDue()
      expect(publishedEvents).toEqual([])
      failing = false
      clock += 1
      await scheduler.runDue()
      await scheduler.runDue()
      expect(publishedEvents).toEqual([event])
    })

    test('the events of each batch of a job are published', async () => {
      clock = NOON
      publishedEvents.length = 0
      const pieces = ['first', 'second', 'last']
      const telling: Job = {
        name: 'telling pieces',
        everyMs: HOUR,
        async run() {
          const roomId = pieces.shift() ?? ''
          return { events: [{ kind: 'presence', roomId }], isMore: pieces.length > 0 }
        },
      }
      await node([telling]).runDue()
      expect(publishedEvents.map((event) => 'roomId' in event && event.roomId)).toEqual([
        'first',
        'second',
        'last',
      ])
    })

    test('a clock that was ahead for a while stops no job', async () => {
      clock = NOON + 1000 * DAY
      const { runs, job } = counting('ahead')
      await node([job]).runDue()
      clock = NOON
      await node([job]).runDue()
      expect(runs).toEqual([NOON + 1000 * DAY, NOON])
    })

    test('stopping waits for running jobs and starts no others', async () => {
      clock = NOON
      const started = Promise.withResolvers<void>()
      let finished = false
      const slow: Job = {
        name: 'slow',
        everyMs: HOUR,
        async run(tx) {
          started.resolve()
          await tx.selectFrom('platform_state').selectAll().execute()
          finished = true
        },
      }
      const after = counting('after')
      const scheduler = node([slow, after.job])
      scheduler.start()
      await started.promise
      await scheduler.stop()
      expect(finished).toBe(true)
      await scheduler.runDue()
      expect(after.runs).toEqual([])
    })
  })
})
