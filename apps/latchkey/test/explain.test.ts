import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { openDatabase } from '@latchkey/database/database'
import type { Tables } from '@latchkey/links/db/tables'
import { compile } from '@latchkey/links/links/behaviour/compile'
import { Workspace } from './running.ts'

const NDJSON = JSON.stringify({ url: 'https://example.com/own', slugs: [{ slug: 'app', is_custom: 1 }] })

describe('latchkey links explain', () => {
  const workspace = new Workspace()
  afterAll(() => workspace.remove())
  beforeAll(async () => {
    await workspace.run(['links', 'import', '-', '--format', 'ndjson', '--owner', 'ada@example.com'], {
      stdin: `${NDJSON}\n`,
    })
    const rules = [{ when: { country: ['SE'], before: 1_900_000_000 }, to: 'https://example.com/se' }]
    const database = openDatabase<Tables>(`sqlite:${workspace.database}`)
    await database.write((tx) =>
      tx
        .updateTable('link')
        .set({ behaviour: compile({ rules }, false) })
        .execute(),
    )
    await database.close()
  })
  const explain = (...args: string[]) => workspace.run(['links', 'explain', ...args])

  test('L27: says where a visit leads, each check, and when that changes', async () => {
    const { code, out, err } = await explain('APP', '--country', 'se', '--at', '2029-01-01T00:00:00+01:00')
    expect([code, err]).toEqual([0, ''])
    expect(out.split('\n')).toEqual([
      '/app leads to https://example.com/se (302).',
      'Counted as human: It is a GET by a browser that leads to a destination.',
      'Rule 1: country holds for SE.',
      'Rule 1: before holds for 2028-12-31T23:00:00Z.',
      'Chosen rule 1: https://example.com/se',
      'The answer changes at 2030-03-17T17:46:40Z.',
      '',
    ])
  })

  test('L27: --json prints the answer of the API', async () => {
    const { out } = await explain('app', '--json', '--user-agent', '')
    expect(JSON.parse(out)).toMatchObject({
      outcome: 'open',
      location: 'https://example.com/own',
      variant: null,
      counted: { as: 'bot' },
    })
  })

  test('names a wrong option and an unknown slug', async () => {
    for (const [args, status, problem] of [
      [['app', '--country', 'Sweden'], 2, '--country must be a country code of ISO 3166-1\n'],
      [['app', '--user-agent', 'a\nb'], 2, '--user-agent must be the value of a header\n'],
      [['_app'], 2, '"_app" is no slug\n'],
      [['nothing'], 1, 'Slug not found\n'],
    ] as const) {
      const { code, out, err } = await explain(...args)
      expect([args, code, out, err.startsWith(problem)]).toEqual([args, status, '', true])
    }
  })
})
