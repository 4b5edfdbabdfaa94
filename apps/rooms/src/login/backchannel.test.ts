import { expect, test } from 'bun:test'
import { type Database, openDatabase } from '@latchkey/database/database'
import { migrate } from '@latchkey/database/migrate'
import { eachDialect } from '@latchkey/database/testing'
import { migrations } from '../db/migrations.ts'
import type { LogoutMarkerRow, Tables } from '../db/tables.ts'
import { type PendingLogin, hasLogoutMarker } from './backchannel.ts'
import { putMarker } from './backchannel-store.ts'

const ARRIVED_MS = 1_800_000_000_000
const ISSUED = 1_800_000_000
const MARKER: LogoutMarkerRow = {
  issuer: 'https://idp.example',
  kind: 'sub',
  value: 'alice',
  iat: ISSUED,
  received_at: ARRIVED_MS,
  expires_at: ARRIVED_MS + 600_000,
}
const LOGIN: PendingLogin = {
  issuer: 'https://idp.example',
  sub: 'alice',
  sid: 's-1',
  startedAtMs: ARRIVED_MS - 5_000,
  issuedAtSeconds: ISSUED - 2,
}

eachDialect((_dialect, newUrl) => {
  async function areRefused(markers: LogoutMarkerRow[], logins: PendingLogin[]): Promise<boolean[]> {
    const database: Database<Tables> = openDatabase(await newUrl())
    await migrate(database, migrations)
    const answers = await database.write(async (tx) => {
      for (const marker of markers) await putMarker(tx, marker)
      const results: boolean[] = []
      for (const login of logins) results.push(await hasLogoutMarker(database.dialect, tx, login))
      return results
    })
    await database.close()
    return answers
  }

  test('R13.8: a marker refuses a pending login, but none that started or was issued later', async () => {
    const logins = [
      LOGIN,
      { ...LOGIN, startedAtMs: ARRIVED_MS, issuedAtSeconds: ISSUED },
      { ...LOGIN, startedAtMs: ARRIVED_MS + 1 },
      { ...LOGIN, issuedAtSeconds: ISSUED + 1 },
    ]
    expect(await areRefused([MARKER], logins)).toEqual([true, true, false, false])
  })

  test('R13.8: a marker refuses only the session or subject that it names', async () => {
    const logins = [
      LOGIN,
      { ...LOGIN, sub: 'bob' },
      { ...LOGIN, sub: 'Alice' },
      { ...LOGIN, issuer: 'https://idp.example/' },
      { ...LOGIN, sub: null, sid: null, issuedAtSeconds: null },
    ]
    expect(await areRefused([MARKER], logins)).toEqual([true, false, false, false, false])
    const bySid = [LOGIN, { ...LOGIN, sid: 's-2' }, { ...LOGIN, sid: null }, { ...LOGIN, sid: 'alice' }]
    expect(await areRefused([{ ...MARKER, kind: 'sid', value: 's-1' }], bySid)).toEqual([
      true,
      false,
      false,
      false,
    ])
  })

  test('R13.8: another logout token with the same target moves the marker forward, never back', async () => {
    const early = { ...MARKER, iat: ISSUED - 60, received_at: ARRIVED_MS - 60_000 }
    for (const markers of [
      [early, MARKER],
      [MARKER, early],
    ])
      expect(await areRefused(markers, [LOGIN])).toEqual([true])
    expect(await areRefused([early], [LOGIN])).toEqual([false])
  })
})
