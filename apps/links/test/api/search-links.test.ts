import { beforeAll, expect, test } from 'bun:test'
import { eachDialect } from '@latchkey/database/testing'
import { sharedTestLinks } from '../testing.ts'

eachDialect((_dialect, newUrl) => {
  const links = sharedTestLinks(newUrl)
  let ann: string
  beforeAll(async () => {
    ann = await links.key('ann@example.com')
  })
  const list = (query: Record<string, string | number> = {}) => {
    const search = new URLSearchParams(Object.entries(query).map(([name, value]) => [name, String(value)]))
    return links.call('GET', `/links?${search}`, { key: ann })
  }
  const idsOf = async (query: Record<string, string | number>) =>
    (await list(query)).body.map((link: { id: number }) => link.id)

  test('L6.7 search finds a part of label, URL, owner or any slug, in any case, blanks around it aside', async () => {
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
    for (const search of needles) expect([search, await idsOf({ search })]).toEqual([search, [id]])
    expect(await idsOf({ search: 'quarterly zebra' })).toEqual([])
  })

  test('the character that stands between two fields where they are kept is found in no link that has none', async () => {
    const { id } = await links.createLink(ann, { label: 'edge', url: 'https://apart.example/' })
    for (const search of ['\uffff', 'edge\uffffhttps://apart', '\uffffann@'])
      expect([search, await idsOf({ search })]).toEqual([search, []])
    const odd = await links.createLink(ann, { label: 'no\uffffcharacter' })
    expect(await idsOf({ search: 'NO\uffffchar' })).toEqual([odd.id])
    expect(await idsOf({ search: '\uffff' })).toEqual([odd.id])
    expect(await idsOf({ search: 'apart.example' })).toEqual([id])
  })

  test('search finds the automatic slug and slugs that are disabled', async () => {
    const { id, slugs } = await links.createLink(ann, { slug: 'switched-off', slug_length: 20 })
    await links.call('POST', `/slugs/switched-off/disable`, { key: ann })
    expect(await idsOf({ search: 'SWITCHED-off' })).toEqual([id])
    expect(await idsOf({ search: slugs[0].slug.slice(2, 18) })).toEqual([id])
  })

  test('search follows a changed label and URL', async () => {
    const { id } = await links.createLink(ann, {
      label: 'before-change',
      url: 'https://before.example/change',
    })
    const body = { label: 'after-change', url: 'https://after.example/change' }
    await links.call('PUT', `/links/${id}`, { key: ann, body })
    expect(await idsOf({ search: 'before-change' })).toEqual([])
    expect(await idsOf({ search: 'before.example' })).toEqual([])
    expect(await idsOf({ search: 'after-change' })).toEqual([id])
    expect(await idsOf({ search: 'after.example' })).toEqual([id])
  })

  test('L6.7 search folds the letters of every alphabet, not only ASCII', async () => {
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
      expect([search, await idsOf({ search })]).toEqual([search, [id]])
    }
  })

  test('search finds a part of a word that ends in sigma, wherever the part was cut', async () => {
    const { id } = await links.createLink(ann, { label: 'ΠΑΡΑΣΚΕΥΉ' })
    expect(await idsOf({ search: 'ΠΑΡΑΣ' })).toEqual([id])
    expect(await idsOf({ search: 'παρας' })).toEqual([id])
  })

  test('search finds a letter in both of its Unicode spellings', async () => {
    const { id } = await links.createLink(ann, { label: 'Crème brûlée' })
    expect(await idsOf({ search: 'crème brûlée'.normalize('NFD') })).toEqual([id])
  })

  test('L6.7 L24.18 % and _ and \\ in a search match only themselves', async () => {
    const percent = await links.createLink(ann, { label: '100% wool' })
    const underscore = await links.createLink(ann, { label: 'snake_case_label' })
    const backslash = await links.createLink(ann, { label: 'C:\\temp' })
    await links.createLink(ann, { label: '100x wool, snakeXcaseXlabel' })
    expect(await idsOf({ search: '100% w' })).toEqual([percent.id])
    expect(await idsOf({ search: 'snake_case' })).toEqual([underscore.id])
    expect(await idsOf({ search: 'C:\\t' })).toEqual([backslash.id])
    expect(await idsOf({ search: '%' })).toEqual([percent.id])
  })

  test('a search that spans two fields finds nothing', async () => {
    await links.createLink(ann, { label: 'edge-label', url: 'https://edge.example' })
    for (const search of ['edge-label\nhttps', 'edge-labelhttps', 'edge.example\nann@', 'edge.exampleann@'])
      expect([search, await idsOf({ search })]).toEqual([search, []])
  })

  test('a blank search filters nothing; one of more than 256 characters is refused', async () => {
    expect(await idsOf({ search: '   ' })).toHaveLength((await idsOf({})).length)
    expect((await list({ search: '🎈'.repeat(256) })).status).toBe(200)
    expect((await list({ search: ` ${'x'.repeat(256)} ` })).status).toBe(200)
    const { status, body } = await list({ search: 'x'.repeat(257) })
    expect([status, body.error]).toEqual([400, 'search: must be at most 256 characters'])
  })
})
