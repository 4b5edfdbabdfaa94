import { expect, test } from 'bun:test'
import { migrate } from '@latchkey/database/migrate'
import { eachDialect } from '@latchkey/database/testing'
import { sql } from 'kysely'
import { NOW, TestDatabase, closeAfterEach } from '../../test/test-database.ts'
import { migrationNotes } from './migration-notes.ts'
import { migrations } from './migrations.ts'

const { closeLater } = closeAfterEach()

/** Texts of people that read like the key. */
const LABEL = String.raw`stick, "stick": and \"stick\":`

eachDialect((_, newUrl) => {
  test('Behaviours and domains of an earlier version keep their values under the new words', async () => {
    const earlier = Object.entries(migrations).filter(([name]) => name < '0007')
    const stored = closeLater(await TestDatabase.open(await newUrl('empty'), Object.fromEntries(earlier)))
    const behaviour = (word: string) => ({
      rules: [{ when: { query: [{ name: 'stick' }] }, to: { split: [], [word]: 'day' }, label: LABEL }],
      split: [{ url: 'https://example.com/?a="stick":', weight: 1 }],
      [word]: 'visit',
    })
    const values = (word: string) => ({ label: LABEL, behaviour: behaviour(word) })
    const texts = (word: string) => ({
      document: JSON.stringify(behaviour(word)),
      before_values: JSON.stringify({ behaviour: behaviour(word) }),
      after_values: JSON.stringify(values(word)),
      ops: JSON.stringify([{ operation: 'setBehaviour', body: behaviour(word) }]),
      diff: JSON.stringify([{ kind: 'link.updated', before: null, after: values(word) }]),
      data: JSON.stringify({ link: values(word) }),
    })
    const old = texts('stick')
    const id = await stored.createLink('split')
    await stored.run(sql`insert into link_behaviour (link_id, document) values (${id}, ${old.document})`)
    await stored.run(sql`insert into history (changed_at, identity, via, kind, link_id, before_values, after_values)
      values (${NOW}, 'ann@example.com', 'api', 'link.updated', ${id}, ${old.before_values}, ${old.after_values})`)
    await stored.run(sql`insert into plan (state, identity, via, created_at, expires_at, op_count, change_count, ops, diff,
      warnings, versions)
      values ('open', 'ann@example.com', 'api', ${NOW}, ${NOW}, 1, 1, ${old.ops}, ${old.diff}, '[]', '{}')`)
    await stored.run(sql`insert into event (type, at, data) values ('link.updated', ${NOW}, ${old.data})`)
    await stored.run(sql`insert into domain (host, also_of) values ('go.example', 'old.example')`)

    expect(await migrate(stored.database, migrations)).toContain('0007-wire-words')

    const rows = await stored.rows(`select document, before_values, after_values, ops, diff, data
      from link_behaviour, history, plan, event`)
    expect(rows).toEqual([texts('sticky')])
    const domains = await stored.rows('select host, alias_of from domain')
    expect(domains).toEqual([{ host: 'go.example', alias_of: 'old.example' }])
    expect(stored.run(sql`update history set tool = 'other'`)).rejects.toThrow('append-only')
    expect(stored.run(sql`update domain set alias_of = host`)).rejects.toThrow()
  })
})

test('O4.3: each migration has a sentence for people who upgrade', () => {
  expect(Object.keys(migrationNotes)).toEqual(Object.keys(migrations))
})
