import { beforeAll, expect, test } from 'bun:test'
import { eachDialect } from '@latchkey/database/testing'
import { listLinkIds, listLinks } from '../actions.ts'
import { sharedTestLinks } from '../testing.ts'

eachDialect((_dialect, newUrl) => {
  const links = sharedTestLinks(newUrl)
  let ann: string
  beforeAll(async () => {
    ann = await links.key('ann@example.com')
  })
  const list = (query: Record<string, string | number> = {}) => listLinks(links, ann, query)
  const listIds = (query: Record<string, string | number>) => listLinkIds(links, ann, query)

  test('L6.7: search finds part of a label, URL, owner or slug, in any case, ignoring surrounding blanks', async () => {
    const dora = await links.key('dora.quill@example.com')
    const { id } = await links.createLink(dora, {
      url: 'https://zebra.example/Path?Query=1#Frag',
      slug: 'needle-slug',
      label: 'Quarterly Report',
    })
    await links.call('POST', `/links/${id}/slugs`, { key: ann, body: { slug: 'second.name' } })
    const needles = [
      'RTERLY rep',
      'zebra.EXAMPLE/path?query=1#frag',
      'Dora.Quill@',
      'EEDLE-slu',
      'D.NAM',
      '  zebra ',
    ]
    for (const search of needles) expect([search, await listIds({ search })]).toEqual([search, [id]])
    expect(await listIds({ search: 'quarterly zebr-a' })).toEqual([])
  })

  test('L6.9: words are found in any order and in different fields, and all of them must be', async () => {
    const { id } = await links.createLink(ann, { label: 'Black Friday', slug: 'winter-sale' })
    await links.createLink(ann, { label: 'Black Monday' })
    for (const search of ['friday black', 'BLACK friday', 'sale fri  black', 'ann@ friday'])
      expect([search, await listIds({ search })]).toEqual([search, [id]])
    expect(await listIds({ search: 'black friday summer' })).toEqual([])
  })

  test('L6.9: a link is found by the name of its bundle until it is renamed, archived or left', async () => {
    const { id } = await links.createLink(ann, { label: 'Poster' })
    const other = await links.createLink(ann, { label: 'Gala Poster' })
    const named = { key: ann, body: { name: 'Ångström Gala' } }
    const bundle = (await links.call('POST', '/bundles', named)).body
    await links.call('POST', `/bundles/${bundle.id}/links`, { key: ann, body: { link_id: id } })
    expect(await listIds({ search: 'poster ÅNGSTRÖM' })).toEqual([id])
    expect(await listIds({ search: 'gala poster' })).toEqual([other.id, id])
    await links.call('PUT', `/bundles/${bundle.id}`, { key: ann, body: { name: 'Opera' } })
    expect(await listIds({ search: 'poster ångström' })).toEqual([])
    expect(await listIds({ search: 'opera poster' })).toEqual([id])
    await links.call('POST', `/bundles/${bundle.id}/archive`, { key: ann })
    expect(await listIds({ search: 'opera poster' })).toEqual([])
    await links.call('POST', `/bundles/${bundle.id}/unarchive`, { key: ann })
    await links.call('DELETE', `/bundles/${bundle.id}/links/${id}`, { key: ann })
    expect(await listIds({ search: 'opera poster' })).toEqual([])
  })

  test('L6.7a L17.1d: the number of matches is exact, but on the admin side it ends at 1,000', async () => {
    await links.database.write(async (tx) => {
      const row = (n: number) => ({
        id: 10_000 + n,
        url: 'https://counted.example/',
        url_key: n,
        host: 'counted.example',
        created_by: 'cid@example.com',
        created_at: 1,
        primary_slug: `counted-${n}`,
        search_text: `counted ${n < 1000 ? 'thousand' : ''}`,
      })
      const rows = Array.from({ length: 1001 }, (_, n) => row(n))
      await tx.insertInto('link').values(rows).execute()
      const slugs = rows.map(({ id, primary_slug: slug }) => ({
        slug,
        link_id: id,
        is_custom: 0,
        created_at: 1,
      }))
      await tx.insertInto('slug').values(slugs).execute()
    })
    const countsOf = async (search: string) => {
      const answers = [
        await list({ search, limit: 1 }),
        await links.callAdmin('GET', `/links?search=${search}&limit=1`),
      ]
      return answers.map(({ headers }) => [headers.get('x-total-count'), headers.get('x-total-exact')])
    }
    expect(await countsOf('thousand')).toEqual([
      ['1000', null],
      ['1000', null],
    ])
    expect(await countsOf('counted')).toEqual([
      ['1001', null],
      ['1000', 'false'],
    ])
    expect(await listIds({ search: 'counted', limit: 1000 })).toHaveLength(1000)
    await links.database.write((tx) => tx.deleteFrom('link').where('id', '>=', 10_000).execute())
  })

  test('the separator of the stored search text matches no link that does not contain it', async () => {
    const { id } = await links.createLink(ann, { label: 'edge', url: 'https://apart.example/' })
    for (const search of ['\uffff', 'edge\uffffhttps://apart', '\uffffann@'])
      expect([search, await listIds({ search })]).toEqual([search, []])
    const odd = await links.createLink(ann, { label: 'no\uffffcharacter' })
    expect(await listIds({ search: 'NO\uffffchar' })).toEqual([odd.id])
    expect(await listIds({ search: '\uffff' })).toEqual([odd.id])
    expect(await listIds({ search: 'apart.example' })).toEqual([id])
  })

  test('search finds the automatic slug and disabled slugs', async () => {
    const { id, slugs } = await links.createLink(ann, { slug: 'switched-off', slug_length: 20 })
    await links.call('POST', `/slugs/switched-off/disable`, { key: ann })
    expect(await listIds({ search: 'SWITCHED-off' })).toEqual([id])
    expect(await listIds({ search: slugs[0].slug.slice(2, 18) })).toEqual([id])
  })

  test('search follows a changed label and URL', async () => {
    const { id } = await links.createLink(ann, {
      label: 'before-change',
      url: 'https://before.example/change',
    })
    const body = { label: 'after-change', url: 'https://after.example/change' }
    await links.call('PUT', `/links/${id}`, { key: ann, body })
    expect(await listIds({ search: 'before-change' })).toEqual([])
    expect(await listIds({ search: 'before.example' })).toEqual([])
    expect(await listIds({ search: 'after-change' })).toEqual([id])
    expect(await listIds({ search: 'after.example' })).toEqual([id])
  })

  test('L6.7: search folds the letters of every alphabet, not only ASCII', async () => {
    const pairs = [
      ['Räksmörgås på ÅÄÖ', 'RÄKSMÖRGÅS PÅ åäö'],
      ['ЁЛКА и ёж', 'ёлка И ЁЖ'],
      ['ΟΔΥΣΣΕΎΣ', 'οδυσσεύς'],
      ['Ἀθῆναι', 'ἈΘΗ͂ΝΑΙ'],
      ['İSTANBUL', 'istanbul'],
      ['izmir', 'İZMİR'],
      ['Dış kapı', 'DIŞ KAPI'],
      ['STRAẞE', 'straße'],
      ['Fußgänger', 'FUSSGÄNGER'],
      ['Ｆｕｌｌ', 'ｆＵＬＬ'],
      ['Ǆungla', 'ǆUNGLA'],
    ]
    for (const [label = '', search = ''] of pairs) {
      const { id } = await links.createLink(ann, { label })
      expect([search, await listIds({ search })]).toEqual([search, [id]])
    }
  })

  test('search finds part of a word that ends in sigma, wherever the part ends', async () => {
    const { id } = await links.createLink(ann, { label: 'ΠΑΡΑΣΚΕΥΉ' })
    expect(await listIds({ search: 'ΠΑΡΑΣ' })).toEqual([id])
    expect(await listIds({ search: 'παρας' })).toEqual([id])
  })

  test('search finds a letter in both of its Unicode forms', async () => {
    const { id } = await links.createLink(ann, { label: 'Crème brûlée' })
    expect(await listIds({ search: 'crème brûlée'.normalize('NFD') })).toEqual([id])
  })

  test('L6.7 L24.18: % and _ and \\ in a search match only themselves', async () => {
    const percent = await links.createLink(ann, { label: '100% wool' })
    const underscore = await links.createLink(ann, { label: 'snake_case_label' })
    const backslash = await links.createLink(ann, { label: 'C:\\temp' })
    await links.createLink(ann, { label: '100x wool, snakeXcaseXlabel' })
    expect(await listIds({ search: '100% w' })).toEqual([percent.id])
    expect(await listIds({ search: 'snake_case' })).toEqual([underscore.id])
    expect(await listIds({ search: 'C:\\t' })).toEqual([backslash.id])
    expect(await listIds({ search: '%' })).toEqual([percent.id])
  })

  test('a word that spans two fields matches nothing', async () => {
    await links.createLink(ann, { label: 'edge-label', url: 'https://edge.example', slug: 'edge-slug' })
    for (const search of ['edge-labelhttps', 'edge.exampleann@', 'example.comedge-', '\u001eedge-slug'])
      expect([search, await listIds({ search })]).toEqual([search, []])
  })

  test('a blank search filters nothing; one of more than 256 characters is refused', async () => {
    expect(await listIds({ search: '   ' })).toHaveLength((await listIds({})).length)
    expect((await list({ search: '🎈'.repeat(256) })).status).toBe(200)
    expect((await list({ search: ` ${'x'.repeat(256)} ` })).status).toBe(200)
    const { status, body } = await list({ search: 'x'.repeat(257) })
    expect([status, body.error]).toEqual([400, 'search: must be at most 256 characters'])
  })
})
