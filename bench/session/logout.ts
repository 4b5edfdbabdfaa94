// bun bench/session/logout.ts [--sizes 1000,1000000] [--calls 300]
// Measures how long the provider waits until one session among many has ended: a logout token all
// the way from its signature to the commit that ends the session and stores the token.
import { Database as SqliteFile } from 'bun:sqlite'
import { existsSync, mkdirSync } from 'node:fs'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { createRooms } from '../../apps/rooms/src/app.ts'
import { readSettings } from '../../apps/rooms/src/settings/settings.ts'
import { type HostileProvider, hostileProvider } from '../../apps/rooms/test/provider/hostile.ts'
import { seed } from './seed.ts'

const { values } = parseArgs({
  options: {
    sizes: { type: 'string', default: '1000,1000000' },
    calls: { type: 'string', default: '300' },
  },
})
const CALLS = Number(values.calls)
const WARM_UP = 50
const DAY_MS = 86_400_000
const work = join(tmpdir(), 'latchkey-bench-session')
mkdirSync(work, { recursive: true })

function environment(path: string, idp: HostileProvider): Record<string, string> {
  return {
    AUTH_PROVIDER: 'oidc',
    AUTH_CLIENT_ID: 'rooms-client',
    OIDC_ISSUER: idp.issuer,
    BACKCHANNEL_LOGOUT: 'on',
    ALLOWED_HOSTS: 'https://rooms.example.com',
    ROOMS_DATABASE_URL: `sqlite:${path}`,
    ROOMS_LIMITS: 'backchannel_per_minute=1000000000',
  }
}

/**
 * Adds sessions of this provider among all those of another provider, to whose people they belong.
 */
function addSessions(path: string, issuer: string, names: readonly string[]): void {
  const file = new SqliteFile(path)
  const users = file.prepare<{ id: string }, [number]>('select id from users limit ?').all(names.length)
  const insert = file.prepare(
    `insert into sessions (id, user_id, token_hash, idp_issuer, idp_sub, idp_sid, login_at, created_at, last_seen_at,
       idle_expires_at, absolute_expires_at, user_agent, client_ip) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, '', '192.0.2.1')`,
  )
  const now = Date.now()
  file.transaction(() => {
    for (const [at, name] of names.entries()) {
      const key = [crypto.randomUUID(), users[at % users.length]?.id ?? '', crypto.randomUUID(), issuer]
      insert.run(...key, `sub-${name}`, `sid-${name}`, now, now, now, now + DAY_MS, now + DAY_MS)
    }
  })()
  insert.finalize()
  file.close()
}

/** Removes these sessions again. */
function removeSessions(path: string, issuer: string): void {
  const file = new SqliteFile(path)
  for (const [table, column] of [
    ['sessions', 'idp_issuer'],
    ['logout_tokens', 'issuer'],
    ['logout_markers', 'issuer'],
  ])
    file.run(`delete from ${table} where ${column} = ?`, [issuer])
  file.run(`delete from audit_events where action = 'auth.backchannel_logout'`)
  file.run(`delete from platform_state where key = 'provider'`)
  file.close()
}

/** Returns the query plan, with the index that finds the sessions of a token. */
function planOf(path: string, column: 'idp_sid' | 'idp_sub'): string {
  const file = new SqliteFile(path, { readonly: true })
  const [step] = file
    .prepare<{ detail: string }, []>(
      `explain query plan update sessions set revoked_at = 1, revoke_reason = 'idp_logout', id_token_sealed = null
       where revoked_at is null and idle_expires_at > 1 and idp_issuer = 'i' and ${column} = 's'`,
    )
    .all()
  file.close()
  return step?.detail ?? ''
}

async function measure(path: string, by: 'sid' | 'sub') {
  const idp = await hostileProvider()
  const names = Array.from({ length: WARM_UP + CALLS }, () => crypto.randomUUID())
  addSessions(path, idp.issuer, names)
  const silent = { info() {}, warn() {}, error() {} }
  const rooms = await createRooms({ settings: readSettings(environment(path, idp)), log: silent })
  const peer = { requestIP: () => ({ address: '127.0.0.1', family: 'IPv4' as const, port: 1 }) }
  const tokens = names.map((name) => idp.logoutToken((claims) => ({ ...claims, [by]: `${by}-${name}` })))
  const took: number[] = []
  let before = process.cpuUsage()
  for (const [at, token] of tokens.entries()) {
    if (at === WARM_UP) before = process.cpuUsage()
    const body = new URLSearchParams({ logout_token: token })
    const request = new Request('https://rooms.example.com/api/auth/backchannel-logout', {
      method: 'POST',
      body,
    })
    const startedMs = performance.now()
    const { status } = await rooms.fetch(request, peer)
    if (at >= WARM_UP) took.push(performance.now() - startedMs)
    if (status !== 200) throw new Error(`An answer of ${status}`)
  }
  const { user, system } = process.cpuUsage(before)
  const live = await rooms.database.read
    .selectFrom('sessions')
    .select('id')
    .where('idp_issuer', '=', idp.issuer)
    .where('revoked_at', 'is', null)
    .execute()
  if (live.length > 0) throw new Error(`${live.length} sessions have not ended`)
  await rooms.close()
  await idp.stop()
  removeSessions(path, idp.issuer)
  took.sort((a, b) => a - b)
  const at = (part: number) => (took[Math.floor(took.length * part)] ?? Number.NaN).toFixed(2)
  return { p50: at(0.5), p99: at(0.99), cpuUs: Math.round((user + system) / CALLS) }
}

console.log(
  `Load average ${loadavg()
    .map((each) => each.toFixed(1))
    .join(' ')} at the start.\n`,
)
console.log(
  '| sessions | token names | p50 ms | p99 ms | CPU µs | found by |\n| --- | --- | --- | --- | --- | --- |',
)
for (const count of values.sizes.split(',').map(Number)) {
  const path = join(work, `${count}.db`)
  if (!existsSync(path)) await seed(path, count)
  for (const by of ['sid', 'sub'] as const) {
    const { p50, p99, cpuUs } = await measure(path, by)
    const plan = planOf(path, `idp_${by}`)
    console.log(`| ${count.toLocaleString('en')} | ${by} | ${p50} | ${p99} | ${cpuUs} | ${plan} |`)
  }
}
