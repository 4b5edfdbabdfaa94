import { beforeEach, expect, test } from 'bun:test'
import { onSqlite } from '@latchkey/database/testing'
import { sharedTestLinks } from '../testing.ts'

const STYLE = {
  size: 500,
  margin: 2,
  level: 'Q',
  dark: '1b3a6b',
  light: 'ffffff',
  shape: 'round',
  eyes: 'circle',
  frame: 'Scan me',
}

onSqlite((newUrl) => {
  const links = sharedTestLinks(newUrl)
  const save = (name: string, style: object = STYLE) =>
    links.callAdmin('PUT', '/qr-presets', { body: { name, style } })
  const list = async () => (await links.callAdmin('GET', '/qr-presets')).body

  beforeEach(async () => {
    await links.database.write((tx) => tx.deleteFrom('qr_preset').execute())
  })

  test('L32.4f: a preset is saved with its name, and replaced under the same name', async () => {
    const { status, body } = await save('  Brand ')
    expect([status, body]).toEqual([200, { id: expect.any(Number), name: 'Brand', style: STYLE }])
    const plain = { size: 220, margin: 4 }
    const replaced = await save('Brand', plain)
    const style = {
      ...plain,
      level: 'M',
      dark: '000000',
      light: 'ffffff',
      shape: 'square',
      eyes: 'square',
      frame: null,
    }
    expect(replaced.body).toEqual({ id: body.id, name: 'Brand', style })
    await save('Menu')
    expect((await list()).map(({ name }: { name: string }) => name)).toEqual(['Brand', 'Menu'])
  })

  test('L32.4f: a preset is of its person alone', async () => {
    await save('Brand')
    await links.database.write((tx) =>
      tx
        .insertInto('qr_preset')
        .values({ identity: 'ben@example.com', name: 'Brand', style: '{}' })
        .execute(),
    )
    const [own, foreign] = await links.rows<{ id: number }>('select id from qr_preset order by id')
    expect((await list()).map(({ id }: { id: number }) => id)).toEqual([own?.id])
    expect((await links.callAdmin('DELETE', `/qr-presets/${foreign?.id}`)).status).toBe(404)
    expect((await links.callAdmin('DELETE', `/qr-presets/${own?.id}`)).body).toEqual({ deleted: true })
    expect(await list()).toEqual([])
    expect(await links.rows('select name from qr_preset')).toHaveLength(1)
  })

  test('L32.4f: a person has at most 30 presets, and can still replace them', async () => {
    for (let at = 0; at < 30; at++) expect((await save(`Preset ${at}`)).status).toBe(200)
    const { status, body } = await save('One more')
    expect([status, body.code]).toEqual([400, 'too_many_qr_presets'])
    expect((await save('Preset 7')).status).toBe(200)
    expect(await list()).toHaveLength(30)
  })

  test('L32.4f: a preset leaves no history', async () => {
    const { body } = await save('Brand')
    await links.callAdmin('DELETE', `/qr-presets/${body.id}`)
    expect(await links.rows('select * from history')).toEqual([])
    expect(await links.rows('select * from event')).toEqual([])
  })

  test('L32.4f: a preset that would draw no code is refused', async () => {
    for (const [style, error] of [
      [{ ...STYLE, size: 0 }, 'style.size: '],
      [{ ...STYLE, size: '500' }, 'style.size: '],
      [{ ...STYLE, margin: 17 }, 'style.margin: '],
      [{ ...STYLE, dark: 'cccccc' }, 'style.dark: must contrast with light at least 3:1'],
      [{ ...STYLE, frame: '扫码' }, 'style.frame: cannot draw the character 扫'],
      [{ ...STYLE, shape: 'star' }, 'style.shape: '],
      [{ ...STYLE, glow: 1 }, 'Unknown field "style.glow"'],
    ] as const) {
      const { status, body } = await save('Bad', style)
      expect([status, body.error]).toEqual([400, expect.stringContaining(error)])
    }
    expect((await save(' ')).body.error).toContain('name: must not be empty')
    expect(await list()).toEqual([])
  })
})
