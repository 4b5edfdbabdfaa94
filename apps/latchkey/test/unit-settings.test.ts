import { describe, expect, test } from 'bun:test'
import { withAbsolutePaths } from '../src/units/unit.ts'

describe('the settings of a unit, for a command in another folder', () => {
  const FOLDER = '/var/lib/latchkey'

  test('O1.2h: have absolute paths, also those of defaults', () => {
    const settings = withAbsolutePaths({ LINKS_JOURNAL: 'sqlite:own.db' }, 'links', FOLDER)
    expect(settings['LINKS_JOURNAL']).toBe(`sqlite:${FOLDER}/own.db`)
    expect(settings['LINKS_DATABASE_URL']).toStartWith(`sqlite:${FOLDER}/`)
  })

  test('O1.2h: do not give a URL that is in a file a second time', () => {
    for (const [service, name] of [
      ['links', 'LINKS_DATABASE_URL'],
      ['rooms', 'ROOMS_DATABASE_URL'],
    ] as const) {
      const settings = withAbsolutePaths({ [`${name}_FILE`]: '/etc/latchkey/url' }, service, FOLDER)
      expect(settings).toMatchObject({ [`${name}_FILE`]: '/etc/latchkey/url' })
      expect(settings).not.toHaveProperty(name)
    }
  })
})
