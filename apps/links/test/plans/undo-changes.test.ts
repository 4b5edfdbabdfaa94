import { expect, test } from 'bun:test'
import { onSqlite } from '@latchkey/database/testing'
import { insertChanges } from '../../src/changes/store.ts'
import { clickLink } from '../actions.ts'
import { sharedTestLinks } from '../testing.ts'

const ann = 'ann@example.com'
const ben = 'ben@example.com'
const admin = 'admin@example.com'

onSqlite((newDatabaseUrl) => {
  const links = sharedTestLinks(newDatabaseUrl, { LINKS_ADMINS: admin })

  const undo = (key: string, body: object) => links.call('POST', '/changes/undo', { key, body })
  const read = async (key: string, id: number) => (await links.call('GET', `/links/${id}`, { key })).body
  const label = (key: string, id: number, text: string) =>
    links.call('PATCH', `/links/${id}`, { key, body: { label: text } })

  /** The id under which history has the program of this key. */
  async function assistantOf(key: string): Promise<string> {
    await links.createLink(key)
    return (await links.call('GET', '/changes?limit=1', { key })).body[0].assistant
  }

  test('L29.4: undoes all changes of one program since a moment, and none of others', async () => {
    const [own, program] = [await links.key(ann), await links.key(ann)]
    const assistant = await assistantOf(program)
    const labelled = await links.createLink(own, { label: 'Mine' })
    const deleted = await links.createLink(own, { label: 'Deleted' })
    const early = await links.createLink(program)
    links.advance(10)
    const since = links.now
    await label(program, labelled.id, 'One')
    await label(program, labelled.id, 'Two')
    await links.call('DELETE', `/links/${deleted.id}`, { key: program })
    const created = await links.createLink(program)
    const other = await links.createLink(own)
    const { body } = await undo(own, { since, assistant })
    expect(body).toEqual({ undone: 3, remaining: [] })
    expect((await read(own, labelled.id)).label).toBe('Mine')
    expect((await read(own, deleted.id)).label).toBe('Deleted')
    expect(await read(own, created.id)).toEqual({ error: 'Link not found' })
    for (const { id } of [early, other]) expect((await read(own, id)).id).toBe(id)
  })

  test('L29.4: undoes the latest changes up to one by another, and says what stays', async () => {
    const [own, program] = [await links.key(ann), await links.key(ann)]
    const assistant = await assistantOf(program)
    const [mixed, clicked] = [
      await links.createLink(own, { label: 'First' }),
      await links.createLink(program),
    ]
    links.advance(10)
    const since = links.now
    await label(program, mixed.id, 'By program')
    await label(own, mixed.id, 'By me')
    await label(program, mixed.id, 'By program again')
    const made = await links.createLink(program)
    await clickLink(links, made.slugs[0].slug)
    const { body } = await undo(own, { since, assistant })
    expect(body.undone).toBe(1)
    expect(body.remaining).toEqual([
      expect.objectContaining({ kind: 'link.created', link_id: made.id, code: 'link_has_clicks' }),
      expect.objectContaining({ kind: 'link.updated', link_id: mixed.id, code: 'later_change' }),
    ])
    expect((await read(own, mixed.id)).label).toBe('By me')
    expect((await read(own, clicked.id)).id).toBe(clicked.id)
  })

  test('L29.4: keeps a created link that another program has added to a bundle', async () => {
    const [own, program] = [await links.key(ann), await links.key(ann)]
    const assistant = await assistantOf(program)
    links.advance(10)
    const since = links.now
    const [added, other] = [await links.createLink(program), await links.createLink(program)]
    const { body: bundle } = await links.call('POST', '/bundles', { key: own, body: { name: 'Mine' } })
    for (const [key, link] of [
      [own, added],
      [program, other],
    ])
      await links.call('POST', `/bundles/${bundle.id}/links`, { key, body: { link_id: link.id } })
    const { body } = await undo(own, { since, assistant })
    expect(body.remaining).toEqual([
      expect.objectContaining({ kind: 'link.created', link_id: added.id, code: 'later_change' }),
    ])
    const members = await links.call('GET', `/bundles/${bundle.id}/links`, { key: own })
    expect(members.body.map(({ id }: { id: number }) => id)).toEqual([added.id])
  })

  test('L29.4a: is for the own changes; administrators undo those of everyone', async () => {
    const [annKey, benKey, adminKey] = [await links.key(ann), await links.key(ben), await links.key(admin)]
    const link = await links.createLink(annKey, { label: 'First' })
    links.advance(10)
    const since = links.now
    await label(annKey, link.id, 'Second')
    await links.expectRefusal('POST', '/changes/undo', { key: benKey, body: { since, identity: ann } }, [
      403,
      'Only administrators of the instance can undo the changes of others',
    ])
    const before = await links.databaseState()
    expect((await undo(benKey, { since })).body).toEqual({ undone: 0, remaining: [] })
    expect(await links.databaseState()).toEqual(before)
    expect((await undo(adminKey, { since, identity: ann })).body).toEqual({ undone: 1, remaining: [] })
    expect(await read(annKey, link.id)).toMatchObject({ label: 'First', created_by: ann })
  })

  test('L29.4a: a link comes back to its owner for administrators only', async () => {
    const [annKey, adminKey] = [await links.key(ann), await links.key(admin)]
    await links.key(ben)
    const link = await links.createLink(annKey)
    links.advance(10)
    const since = links.now
    const owner = { owner: ben, confirm: true }
    await links.call('POST', `/links/${link.id}/transfer`, { key: annKey, body: owner })
    expect((await undo(annKey, { since })).body).toMatchObject({
      undone: 0,
      remaining: [{ kind: 'link.transferred', code: 'undo_needs_rights' }],
    })
    expect((await undo(adminKey, { since, identity: ann })).body.undone).toBe(1)
    expect((await read(annKey, link.id)).created_by).toBe(ann)
  })

  test('L29.4b: more than 5000 changes are not undone at once', async () => {
    const many = 'many@example.com'
    const key = await links.key(many)
    const change = { changed_at: links.now, identity: many, via: 'api', kind: 'link.updated' } as const
    const rows = Array.from({ length: 500 }, (_, n) => ({
      ...change,
      link_id: 900_000 + n,
      after_values: '{}',
    }))
    for (let n = 0; n < 10; n++) await links.database.write((tx) => insertChanges(tx, rows))
    await links.database.write((tx) => insertChanges(tx, rows.slice(0, 1)))
    await links.expectRefusal('POST', '/changes/undo', { key, body: { since: links.now } }, [
      400,
      'More than 5000 changes match; choose a later time',
    ])
  })

  test('L29.4: a deleted link with a password stays deleted, since it would come back open', async () => {
    const key = await links.key(ann)
    const link = await links.createLink(key)
    await links.call('PUT', `/links/${link.id}/behaviour`, { key, body: { password: 'secret' } })
    links.advance(10)
    const since = links.now
    await links.call('DELETE', `/links/${link.id}`, { key })
    expect((await undo(key, { since })).body).toMatchObject({
      undone: 0,
      remaining: [{ kind: 'link.deleted', link_id: link.id, code: 'undo_impossible' }],
    })
    expect(await read(key, link.id)).toEqual({ error: 'Link not found' })
  })
})
