import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Place, type Service } from '../running.ts'
import { testExecutable } from './executable.ts'
import { HAS_NAMESPACES, Image } from './image.ts'

const executable = testExecutable()

describe.skipIf(!HAS_NAMESPACES)('the executable, on a machine with nothing but the C library', () => {
  const data = mkdtempSync(join(tmpdir(), 'latchkey-data-'))
  const stores = {
    LINKS_DATABASE_URL: 'sqlite:/data/links.db',
    LINKS_JOURNAL: 'sqlite:/data/links-journal.db',
    ROOMS_DATABASE_URL: 'sqlite:/data/rooms.db',
  }
  let image: Image
  let place: Place
  let service: Service

  beforeAll(async () => {
    image = new Image(executable.path)
    place = new Place(stores, image.command(data, image.program))
    service = await place.start(['start'], /--title "First key"/)
  })
  afterAll(async () => {
    await service.kill()
    image.remove()
    place.remove()
    rmSync(data, { recursive: true, force: true })
  })

  test('makes a key, shortens with it and redirects', async () => {
    const { code, out } = await place.run([
      'keys',
      'create',
      '--identity',
      'a@b.test',
      '--scope',
      'create,read',
      '--title',
      'x',
    ])
    expect(code).toBe(0)
    const made = await fetch(`${service.origin}/_/api/links`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${out.trim()}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ url: 'https://example.com/target', slug: 'hello' }),
    })
    expect(made.status).toBe(201)
    const followed = await fetch(`${service.origin}/hello`, { redirect: 'manual' })
    expect([followed.status, followed.headers.get('location')]).toEqual([302, 'https://example.com/target'])
  })
})
