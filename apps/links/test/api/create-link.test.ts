import { beforeAll, expect, test } from 'bun:test'
import { onSqlite } from '@latchkey/database/testing'
import { rootNames } from '../../src/urls/reserved.ts'
import { sharedTestLinks } from '../testing.ts'

const AUTO = /^[abcdefghijkmnpqrstuvwxyz2-9]{4}$/
const SYMBOLS =
  'Custom slug must start and end with a letter or number; allowed symbols in the middle: . _ ~ -'

onSqlite((newUrl) => {
  const links = sharedTestLinks(newUrl)
  let ann: string
  let ben: string
  beforeAll(async () => {
    ann = await links.key('ann@example.com')
    ben = await links.key('ben@example.com')
  })
  const create = (body: unknown, key = ann) => links.call('POST', '/links', { key, body })
  const refuses = (body: unknown, error: string, status = 400) =>
    links.expectRefusal('POST', '/links', { key: ann, body }, [status, error])

  test('L5: a new link has exactly the documented fields, and an automatic slug of four unambiguous symbols as primary', async () => {
    const { status, body } = await create({ url: 'https://example.com/first' })
    expect(status).toBe(201)
    const slug = body.slugs[0].slug as string
    expect(slug).toMatch(AUTO)
    expect(body).toEqual({
      id: expect.any(Number),
      url: 'https://example.com/first',
      label: null,
      expires_at: null,
      disabled_at: null,
      created_via: 'api',
      created_by: 'ann@example.com',
      created_at: links.now,
      slugs: [
        {
          link_id: body.id,
          slug,
          is_custom: 0,
          is_primary: 1,
          click_count: 0,
          created_at: links.now,
          disabled_at: null,
        },
      ],
      total_clicks: 0,
      short_origin: 'http://localhost:8080',
    })
    expect((await links.call('GET', `/links/${body.id}`, { key: ben })).body).toEqual(body)
  })

  test('L6.1: a new link keeps a requested slug beside the automatic one, as primary', async () => {
    const { body } = await create({ url: 'https://example.com/second', slug: 'Launch-2026' })
    expect(body.slugs).toMatchObject([
      { slug: expect.stringMatching(AUTO), is_custom: 0, is_primary: 0 },
      { slug: 'launch-2026', is_custom: 1, is_primary: 1 },
    ])
  })

  test('L6.1: a new link accepts custom_slug for slug, and refuses two that differ by more than case', async () => {
    const alias = await create({ url: 'https://example.com/alias', custom_slug: 'Alias' })
    expect(alias.body.slugs[1].slug).toBe('alias')
    const both = await create({ url: 'https://example.com/alias', slug: 'BOTH', custom_slug: 'both' })
    expect(both.body.slugs[1].slug).toBe('both')
    await refuses(
      { url: 'https://example.com', slug: 'one', custom_slug: 'two' },
      'slug: slug and custom_slug differ',
    )
  })

  test('L6.1: null for label or expires_at counts as absent', async () => {
    const { body } = await create({ url: 'https://example.com/nulls', label: null, expires_at: null })
    expect(body).toMatchObject({ label: null, expires_at: null })
  })

  test('L5 L24.12: the label of a new link is trimmed, null if blank, and at most 500 characters long', async () => {
    expect((await links.createLink(ann, { label: '  Spring sale\n' })).label).toBe('Spring sale')
    expect((await links.createLink(ann, { label: ' \t ' })).label).toBeNull()
    expect((await links.createLink(ann, { label: '🎈'.repeat(500) })).label).toBe('🎈'.repeat(500))
    expect((await links.createLink(ann, { label: ` ${'x'.repeat(500)}\n` })).label).toBe('x'.repeat(500))
    const hidden = '\u202Egpj.exe\u2066\u200B\uFEFF\u00AD 👩\u200D🚀 نمی\u200Cخواهم'
    expect((await links.createLink(ann, { label: hidden })).label).toBe('gpj.exe 👩\u200D🚀 نمی\u200Cخواهم')
    expect((await links.createLink(ann, { label: '\u200B \u2066' })).label).toBeNull()
    expect(
      (await links.createLink(ann, { label: `${'\u200B'.repeat(9)}${'x'.repeat(500)}` })).label,
    ).toHaveLength(500)
    await refuses({ url: 'https://e.com', label: 'x'.repeat(501) }, 'label: must be at most 500 characters')
  })

  test('the automatic slug of a new link has the requested length, from 3 to 128', async () => {
    for (const length of [3, 7, 128]) {
      const { slugs } = await links.createLink(ann, { slug_length: length })
      expect(slugs[0].slug).toHaveLength(length)
    }
    await refuses({ url: 'https://e.com', slug_length: 2 }, 'slug_length: must be at least 3')
    await refuses({ url: 'https://e.com', slug_length: 129 }, 'slug_length: must be at most 128')
    await refuses({ url: 'https://e.com', slug_length: 4.5 }, 'slug_length: must be an integer')
    await refuses({ url: 'https://e.com', slug_length: '4' }, 'slug_length: must be a number')
  })

  test('L3.8: a new link names the client that created it: the SDK if it identifies itself, or else the API', async () => {
    const body = { url: 'https://example.com/via', allow_duplicate: true, label: 'x' }
    for (const [client, via] of [
      ['sdk', 'sdk'],
      ['SDK', 'api'],
      ['sdk2', 'api'],
      ['', 'api'],
    ] as const) {
      const made = await links.call('POST', '/links', { key: ann, body, headers: { 'X-Client': client } })
      expect([client, made.body.created_via]).toEqual([client, via])
    }
    expect((await links.createLink(ann)).created_via).toBe('api')
  })

  test('L5 L23: a new link accepts an expiry from 0 to the year 9999, and refuses a negative, fractional or textual one', async () => {
    expect((await links.createLink(ann, { expires_at: 0 })).expires_at).toBe(0)
    expect((await links.createLink(ann, { expires_at: 253_402_300_799 })).expires_at).toBe(253_402_300_799)
    const url = 'https://e.com'
    await refuses({ url, expires_at: -1 }, 'expires_at: must be at least 0')
    await refuses({ url, expires_at: 253_402_300_800 }, 'expires_at: must be at most 253402300799')
    await refuses({ url, expires_at: 1.5 }, 'expires_at: must be an integer')
    await refuses({ url, expires_at: '1795000000' }, 'expires_at: must be a number')
  })

  test('L3.3: an unknown field of a new link is refused before any other problem', async () => {
    await refuses({ url: 5, slug: '_', colour: 'red', shape: 1 }, 'Unknown field "colour"')
  })

  test('a new link requires a URL', async () => {
    await refuses({}, 'url: is required')
    await refuses({ url: null }, 'url: must be a string')
  })

  test('L6.1: a requested slug that is taken in any case is 409 and stores nothing', async () => {
    await create({ url: 'https://example.com/owner', slug: 'taken' })
    await refuses({ url: 'https://example.com/new', slug: 'TAKEN' }, 'Slug already exists', 409)
    await refuses({ url: 'https://example.com/owner', slug: 'taken' }, 'Slug already exists', 409)
    const matches = await links.call('GET', '/links?search=example.com/new', { key: ann })
    expect(matches.body).toEqual([])
  })

  test('a requested slug may not be the automatic slug of another link', async () => {
    const auto = (await links.createLink(ann)).slugs[0].slug
    await refuses({ url: 'https://example.com/x', slug: auto }, 'Slug already exists', 409)
  })

  test('L8.1: a requested slug has 1 to 128 letters, digits and inner . _ ~ -, folded to lower case', async () => {
    const slugs = ['a', '7', 'a.b_c~d-e', 'A..B', 'x'.repeat(128), '0--0', 'MiXeD.Case']
    for (const slug of slugs) {
      const { slugs: stored } = await links.createLink(ann, { slug })
      expect(stored[1].slug).toBe(slug.toLowerCase())
      expect((await links.fetch(`/${slug.toUpperCase()}`)).status).toBe(302)
    }
  })

  test('L8.2: an invalid requested slug is refused with the message for its problem', async () => {
    const problems: [unknown, string][] = [
      ['', 'Custom slug must not be empty'],
      [' \t', 'Custom slug must not be empty'],
      ['_a', 'Slug must not start with underscore'],
      ['_', 'Slug must not start with underscore'],
      ['x'.repeat(129), 'Slug must be 128 characters or fewer'],
      ['a/b', SYMBOLS],
      ['-a', SYMBOLS],
      ['a-', SYMBOLS],
      ['.', SYMBOLS],
      ['a b', SYMBOLS],
      [' a', SYMBOLS],
      ['a\u0000b', SYMBOLS],
      ['a%20b', SYMBOLS],
      ['a\ud800', SYMBOLS],
      [7, 'slug: must be a string'],
    ]
    for (const [slug, error] of problems) await refuses({ url: 'https://e.com', slug }, error)
  })

  test('L8.1 L24.6: a requested slug never folds a look-alike into ASCII', async () => {
    // Unicode folding turns the Kelvin sign and the long s into k and s. The others only look
    // alike.
    for (const slug of [
      '\u212aelvin',
      '\u017fhort',
      'ａbc',
      'аbc',
      'café',
      'İstanbul',
      'straße',
      '٣',
      'a🎈b',
    ])
      await refuses({ url: 'https://e.com', slug }, SYMBOLS)
  })

  test('L8.1b: a requested slug may not be a name that the server serves at its root', async () => {
    for (const name of [...rootNames, 'Favicon.ICO'])
      await refuses({ url: 'https://e.com', slug: name }, 'Slug is reserved')
  })

  const storeUrl = async (url: string) => (await links.createLink(ann, { url, allow_duplicate: true })).url

  test('L6.4: a URL loses surrounding blanks, tabs and line ends, and nothing inside', async () => {
    expect(await storeUrl(' \t\r\nhttps://example.com/a b \n')).toBe('https://example.com/a b')
  })

  test('L6.5: a URL is stored unchanged, except for an empty ?, an empty # and bare trailing slashes', async () => {
    const cases = {
      'https://Example.com/': 'https://Example.com',
      'https://example.com///': 'https://example.com',
      'https://example.com/a//': 'https://example.com/a',
      'https://example.com/a/?': 'https://example.com/a',
      'https://example.com/a/#': 'https://example.com/a',
      'https://example.com/?#': 'https://example.com',
      'https://example.com/a/?q': 'https://example.com/a/?q',
      'https://example.com/a/#f': 'https://example.com/a/#f',
      'https://example.com/a/?#f': 'https://example.com/a/#f',
      'https://example.com/a/?q#': 'https://example.com/a/?q',
      'https://example.com/?a=/': 'https://example.com/?a=/',
      'https://example.com/#/': 'https://example.com/#/',
      'https://example.com:443/%7Ea/../b': 'https://example.com:443/%7Ea/../b',
      'HTTPS://user:pw@EXAMPLE.com': 'HTTPS://user:pw@EXAMPLE.com',
      'https://ü.example/ö?ä#å': 'https://ü.example/ö?ä#å',
    }
    for (const [url, storedUrl] of Object.entries(cases)) expect(await storeUrl(url)).toBe(storedUrl)
  })

  test('L6.4 L23: a URL has at most 2048 characters after trimming', async () => {
    const longest = `https://example.com/${'🎈'.repeat(2048 - 20)}`
    expect(await storeUrl(`${longest}  `)).toBe(longest)
    await refuses({ url: `${longest}x` }, 'url: must be at most 2048 characters')
  })

  test('L6.4 L24.18: an invalid URL is refused with the message for its problem', async () => {
    const problems: Record<string, string[]> = {
      'url must be a valid URL': [
        '',
        '  ',
        'example.com',
        '/path',
        'https://',
        'http://[::1',
        'https://a b.c/',
      ],
      'url must use http or https': [
        'javascript:alert(1)',
        'JaVaScRiPt:alert(1)',
        'data:text/html,x',
        'file:///etc/passwd',
        'ftp://example.com/',
        'mailto:a@example.com',
        'blob:https://example.com/1',
        'vbscript:x',
        'about:blank',
        'ws://example.com',
      ],
      'url: must not contain control characters': [
        'https://example.com/a\nb',
        'https://exa\tmple.com',
        'java\nscript:alert(1)',
        'https://example.com/\u007f',
        'https://example.com/\u0085',
        '\u0001https://example.com',
      ],
      'url: must be well-formed Unicode without NUL': [
        'https://example.com/\u0000',
        'https://example.com/\ud800',
      ],
    }
    for (const [error, urls] of Object.entries(problems))
      for (const url of urls) await refuses({ url }, error)
  })

  test('the link exists before the answer is sent: its slug redirects at once', async () => {
    const { slugs } = await links.createLink(ann, { url: 'https://example.com/at-once', slug: 'at-once' })
    for (const { slug } of slugs) {
      const visit = await links.fetch(`/${slug}`)
      expect([visit.status, visit.headers.get('location')]).toEqual([302, 'https://example.com/at-once'])
    }
  })
})
