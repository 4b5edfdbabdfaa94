import { expect, test } from 'bun:test'
import { safeAddress, splitAddresses } from './addresses.ts'
import { inlineText } from './inline.ts'
import { parseMessage } from './parse.ts'

const linksIn = (text: string) =>
  splitAddresses(text)
    .filter(({ href }) => href !== undefined)
    .map((part) => part.text)

/** The links of a message, as they read. */
const drawnLinks = (text: string) =>
  parseMessage(text).flatMap((block) =>
    block.type === 'paragraph'
      ? block.children.flatMap((inline) => (inline.type === 'link' ? inlineText(inline.children) : []))
      : [],
  )

test('addresses in messages become links, and other text stays unchanged', () => {
  for (const [text, links] of [
    [
      'See https://example.com/a?b=1, and http://example.org.',
      ['https://example.com/a?b=1', 'http://example.org'],
    ],
    [
      'HTTPS://EXAMPLE.COM/@ada and https://example.com/a@b#c@d',
      ['HTTPS://EXAMPLE.COM/@ada', 'https://example.com/a@b#c@d'],
    ],
    ['https://example.com/?mail=a@example.com', ['https://example.com/?mail=a@example.com']],
    ['https://مثال.إختبار/صفحة', ['https://مثال.إختبار/صفحة']],
    ['(https://en.wiki.example/a_(b))', ['https://en.wiki.example/a_(b)']],
    ['javascript:alert(1) data:text/html,x example.com', []],
  ] as const) {
    expect([text, linksIn(text)]).toEqual([text, [...links]])
    expect(
      splitAddresses(text)
        .map((part) => part.text)
        .join(''),
    ).toBe(text)
  }
})

test('R29.3d: an address ends before the punctuation, quotes and brackets of any script, and keeps its letters', () => {
  for (const [text, ...links] of [
    ['访问 https://example.com/docs（中文说明）了解更多', 'https://example.com/docs'],
    ['（https://example.com/docs）', 'https://example.com/docs'],
    [
      '「https://example.com/a」と《https://example.com/b》',
      'https://example.com/a',
      'https://example.com/b',
    ],
    ['看https://example.com/文档。然后', 'https://example.com/文档'],
    [
      'https://a.example、https://b.example，https://c.example',
      'https://a.example',
      'https://b.example',
      'https://c.example',
    ],
    ['https://zh.example/wiki/张伟（演员）', 'https://zh.example/wiki/张伟（演员）'],
    ['https://zh.example/张伟（演员）/a，和', 'https://zh.example/张伟（演员）/a'],
    ['https://zh.example/张伟（演员）的作品', 'https://zh.example/张伟'],
    ['https://ja.example/ジョン・スミス！', 'https://ja.example/ジョン・スミス'],
    ['انظر https://example.com/صفحة؟', 'https://example.com/صفحة'],
    ['https://example.com/a؛ https://example.com/b۔', 'https://example.com/a', 'https://example.com/b'],
    ['देखें https://example.com/पेज।', 'https://example.com/पेज'],
    [
      '“https://example.com/a” «https://example.com/b» ‘https://example.com/c’',
      'https://example.com/a',
      'https://example.com/b',
      'https://example.com/c',
    ],
    [
      'https://fr.example/l’île et ‘https://fr.example/b’',
      'https://fr.example/l’île',
      'https://fr.example/b',
    ],
    ['https://example.com/a… https://example.com/b—c', 'https://example.com/a', 'https://example.com/b'],
    [
      'https://example.com/1990–2000 https://example.com/–',
      'https://example.com/1990–2000',
      'https://example.com/',
    ],
    [
      'https://example.com/räksmörgås, https://例え.テスト/パス',
      'https://example.com/räksmörgås',
      'https://例え.テスト/パス',
    ],
    ['https://example.com/a)https://example.com/b', 'https://example.com/a', 'https://example.com/b'],
    ['https://。 https://（a） https://...'],
  ] as const) {
    expect([text, linksIn(text)]).toEqual([text, [...links]])
    expect(drawnLinks(text)).toEqual([...links])
  }
})

test('an address that looks like another one is not a link', () => {
  for (const address of [
    'https://example.com@evil.example/',
    'https://example.com:443@evil.example',
    'https://@evil.example',
    'https://user:secret@example.com/a',
    'https://example.com%2f@evil.example',
    'HTTP://Example.com@evil.example',
    'https://example.com/\u202egnp.exe',
    'https://\u202emoc.elpmaxe',
    'https://exam\u200eple.com/a',
    'https://\u2066example.com\u2069/a',
    'https://[bad',
  ])
    expect([address, linksIn(`See ${address} now`)]).toEqual([address, []])
})

test('a link leads to http, https or one mail address, and nowhere else', () => {
  for (const [address, href] of [
    ['HTTPS://Example.com', 'https://example.com/'],
    ['mailto:a@example.com', 'mailto:a@example.com'],
    ['mailto:a@example.com?bcc=b@example.com&body=x', 'mailto:a@example.com'],
    ['mailto:a@example.com,b@example.com', undefined],
    ['javascript:alert(1)', undefined],
    ['java\tscript:alert(1)', undefined],
    ['//example.com', undefined],
    ['/account', undefined],
    ['https:example.com', undefined],
  ] as const)
    expect([address, safeAddress(address)]).toEqual([address, href])
})
