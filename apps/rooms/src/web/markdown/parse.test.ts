import { expect, test } from 'bun:test'
import { hostileMessages } from '../../../test/markdown/hostile-messages.ts'
import { type Inline, inlineText } from './inline.ts'
import { type Block, LIMITS, parseMessage } from './parse.ts'
import { plainText } from './plain-text.ts'

/** The blocks as HTML-like text, which shows their structure. */
const drawn = (content: string) => parseMessage(content).map(drawBlock).join('')

function drawBlock(block: Block): string {
  switch (block.type) {
    case 'paragraph':
      return `<p>${block.children.map(drawInline).join('')}</p>`
    case 'quote':
      return `<quote>${block.children.map(drawBlock).join('')}</quote>`
    case 'code':
      return `<pre ${block.language}>${block.text}</pre>`
    default:
      return `<list ${block.start ?? '-'}>${block.items.map((item) => `<li>${item.map(drawBlock).join('')}</li>`).join('')}</list>`
  }
}

function drawInline(inline: Inline): string {
  switch (inline.type) {
    case 'text':
      return inline.text
    case 'break':
      return '<br>'
    case 'code':
      return `<code>${inline.text}</code>`
    case 'mention':
      return `<mention ${inline.userId.slice(0, 4)}>`
    case 'group':
      return `<group ${inline.group}>`
    case 'link':
      return `<a ${inline.href}${inline.host === undefined ? '' : ` (${inline.host})`}>${inline.children.map(drawInline).join('')}</a>`
    default:
      return `<${inline.type}>${inline.children.map(drawInline).join('')}</${inline.type}>`
  }
}

const ID = '11111111-2222-3333-4444-555555555555'

for (const [what, content, expected] of [
  ['a line', 'Hello there', '<p>Hello there</p>'],
  ['lines and paragraphs', 'One\nTwo\n\nThree', '<p>One<br>Two</p><p>Three</p>'],
  [
    'emphasis',
    '*a* _b_ **c** __d__ ~~e~~',
    '<p><emphasis>a</emphasis> <emphasis>b</emphasis> <strong>c</strong> <strong>d</strong> <strike>e</strike></p>',
  ],
  ['names with underscores', 'snake_case_name 2*3*4', '<p>snake_case_name 2<emphasis>3</emphasis>4</p>'],
  ['inline code', 'Run `npm *test*` or `` a`b ``', '<p>Run <code>npm *test*</code> or <code>a`b</code></p>'],
  ['a block of code', '```ts\nlet x\n\n  y\n```\nafter', '<pre ts>let x\n\n  y</pre><p>after</p>'],
  ['code until the end', '```\nopen', '<pre >open</pre>'],
  ['a quote', '> a\n> **b\n> c**\n\nd', '<quote><p>a<br><strong>b<br>c</strong></p></quote><p>d</p>'],
  ['code in a quote', '> ```\n> a\n> b\n> ```', '<quote><pre >a\nb</pre></quote>'],
  [
    'lists',
    '- a\n  more\n- b\n  1. c\n\n7. d',
    '<list -><li><p>a<br>more</p></li><li><p>b</p><list 1><li><p>c</p></li></list></li></list><list 7><li><p>d</p></li></list>',
  ],
  [
    'a link',
    '[the *docs*](https://example.com/a)',
    '<p><a https://example.com/a>the <emphasis>docs</emphasis></a></p>',
  ],
  [
    'addresses',
    'See https://example.com/a_b_c_(d), <https://example.org> and **http://x.example**.',
    '<p>See <a https://example.com/a_b_c_(d)>https://example.com/a_b_c_(d)</a>, <a https://example.org/>https://example.org</a> and <strong><a http://x.example/>http://x.example</a></strong>.</p>',
  ],
  [
    'mentions',
    `Hi <@${ID}> <!here> <!room> <!all> <@x>`,
    '<p>Hi <mention 1111> <group here> <group room> <!all> <@x></p>',
  ],
  ['escapes', String.raw`\*a\* \`b\` C:\dir`, String.raw`<p>*a* ${'`b`'} C:\dir</p>`],
  [
    'what is not supported',
    '# Title\n\n![i](http://a.example) &amp; <b>x</b>',
    '<p># Title</p><p>!<a http://a.example/>i</a> &amp; <b>x</b></p>',
  ],
  ['indented lines', 'if x:\n    y\n        z', '<p>if x:<br>    y<br>        z</p>'],
  ['markup without content', '-', '<p>-</p>'],
  ['a link without an address', '[x] [a](b) [c][d]', '<p>[x] [a](b) [c][d]</p>'],
] as const)
  test(`R29.3: reads ${what}`, () => {
    expect(drawn(content)).toBe(expected)
  })

test('R29.3f: a link whose text is itself another address shows its real host, and one without visible text its address', () => {
  for (const [text, href, host] of [
    ['https://bank.example', 'https://evil.example', 'evil.example'],
    ['**bank**.example', 'https://evil.example/bank.example', 'evil.example'],
    ['bank\u3002example', 'https://evil.example', 'evil.example'],
    ['b\u200bank', 'https://evil.example', 'evil.example'],
    ['bank.example', 'https://xn--bnk-5na.example', 'xn--bnk-5na.example'],
    ['me@bank.example', 'mailto:me@evil.example', 'evil.example'],
    ['bank.example/login', 'https://www.bank.example/', undefined],
    ['our docs', 'https://evil.example', undefined],
    ['räksmörgås.example', 'https://räksmörgås.example', undefined],
  ] as const) {
    const [paragraph] = parseMessage(`[${text}](${href})`)
    const [link] = paragraph?.type === 'paragraph' ? paragraph.children : []
    expect([text, link?.type === 'link' && link.host]).toEqual([text, host])
  }
  expect(drawn('[\u200b](https://a.example/)')).toBe('<p><a https://a.example/>https://a.example/</a></p>')
  // Also without a text of its own, an address may look like another.
  expect(drawn('https://b\u0430nk.example')).toContain('(xn--bnk-6cd.example)')
})

interface Measured {
  nodes: number
  depth: number
  links: { href: string; host: string | undefined; text: string }[]
}

/** Size of what is drawn, and all links in it. */
function measure(blocks: readonly Block[]): Measured {
  const measured: Measured = { nodes: 0, depth: 0, links: [] }
  const visit = (node: Block | Inline, depth: number): void => {
    measured.nodes++
    measured.depth = Math.max(measured.depth, depth)
    if (node.type === 'link') measured.links.push({ ...node, text: inlineText(node.children) })
    if ('children' in node) for (const child of node.children) visit(child, depth + 1)
    if ('items' in node) for (const item of node.items) for (const child of item) visit(child, depth + 1)
  }
  for (const block of blocks) visit(block, 1)
  return measured
}

test('R29.3f: none of 200 kinds of hostile messages misleads, and none is deeper or larger than the limits', () => {
  expect(new Set(hostileMessages).size).toBeGreaterThanOrEqual(200)
  for (const content of hostileMessages) {
    const { nodes, depth, links } = measure(parseMessage(content))
    const start = content.slice(0, 60)
    expect([start, nodes <= content.length + 1]).toEqual([start, true])
    // Quotes and lists in each other, and in the last of them formats in each other and a text.
    expect([start, depth <= 2 * LIMITS.depth + 2]).toEqual([start, true])
    for (const { href, host, text } of links) {
      const { protocol, username, password, hostname } = new URL(href)
      expect([start, /^(?:https?|mailto):$/.test(protocol), username + password]).toEqual([start, true, ''])
      const isHidden = /[\p{Cf}\p{Default_Ignorable_Code_Point}]/u.test(text)
      const namesBank = /bank.example/i.test(text.normalize('NFKC')) && !hostname.startsWith('bank.')
      if (isHidden || namesBank) expect([start, host]).toEqual([start, hostname])
    }
    expect(plainText(content).length).toBeGreaterThan(0)
  }
})

test('R29.3c: a message beyond the limits is shown as it was written, with its addresses', () => {
  const [length, brackets, depth] = [LIMITS.characters, LIMITS.brackets, LIMITS.depth]
  for (const [within, beyond] of [
    [`**a**${'b'.repeat(length - 5)}`, `**a**${'b'.repeat(length - 4)}`],
    [`**a**${'['.repeat(brackets)}`, `**a**${'['.repeat(brackets + 1)}`],
    [`${'> '.repeat(depth)}**a**`, `${'> '.repeat(depth + 1)}**a**`],
  ] as const) {
    expect(drawn(within)).toContain('<strong>a</strong>')
    expect(drawn(beyond)).toBe(`<p>${beyond}</p>`)
  }
  expect(drawn(`${'> '.repeat(depth + 1)}https://a.example`)).toContain('<a https://a.example/>')
})

test('a message in one line has no markup and the names of mentioned people', () => {
  const content = `**Hi** <@${ID}>,\nsee [docs](https://a.example)\n\n> - one\n> - two\n\n\`\`\`js\nlet x\n\`\`\``
  expect(plainText(content, (id) => (id === ID ? 'Bob' : undefined))).toBe('Hi @Bob, see docs one, two let x')
  expect(plainText(`<@${ID}> <!here>`)).toBe('@… @here')
})

/** Signs with a meaning in messages, of which the test makes long texts. */
const SIGNS = [
  '*',
  '**',
  '_',
  '~~',
  '`',
  '```\n',
  '> ',
  '- ',
  '1. ',
  '[',
  '](',
  ')',
  '(',
  '<',
  '>',
  '<@',
  '<!here>',
]
const OTHERS = [
  'http://',
  'https://a.b',
  'mailto:',
  '://',
  '@',
  ':',
  '.',
  '\\',
  '!',
  '|',
  'a',
  ' ',
  '\n',
  '\t',
  '中',
  '（',
  '。',
  '😀',
  '\u200b',
]

/** Texts with one long part. */
const LONG = [
  (part: string) => `[${part}](https://a.example)`,
  (part: string) => `https://${part}`,
  (part: string) => `\` ${part}\``,
  (part: string) => `\`\`\`\n${part}`,
]

/** Milliseconds of the processor that the fastest of three runs takes, whatever else the machine does. */
function workOf(act: () => void): number {
  const runs = [0, 1, 2].map(() => {
    const before = process.cpuUsage()
    act()
    const { user, system } = process.cpuUsage(before)
    return (user + system) / 1_000
  })
  return Math.min(...runs)
}

/** The worst takes 15, and a time that is the square of the length takes hundreds. */
const MAX_WORK_MS = 60

test('R29.3c: no message takes long to read, whichever signs it repeats', () => {
  const all = [...SIGNS, ...OTHERS]
  const units = all.flatMap((one) => all.map((other) => one + other))
  const ofLength = (unit: string, length: number) =>
    unit.repeat(Math.ceil(length / unit.length)).slice(0, length)
  const texts = [
    ...units.map((unit) => ofLength(unit, LIMITS.characters)),
    ...LONG.flatMap((long) => all.map((sign) => long(ofLength(`${sign}a`, LIMITS.characters - 40)))),
    ...LONG.map((long) => long('a'.repeat(LIMITS.characters - 40))),
    // Beyond the limits of Markdown, where only addresses are looked for.
    ...all.map((sign) => ofLength(`https://a${sign}`, 20_000)),
  ]
  const slow = texts.filter((text) => workOf(() => void plainText(text)) > MAX_WORK_MS)
  expect(slow.map((text) => text.slice(0, 40))).toEqual([])
}, 60_000)

test('R29.3c: marks beyond the limit of a paragraph are shown as they were written', () => {
  const pairs = LIMITS.marks / 2
  expect(drawn('**a** '.repeat(pairs)).match(/<strong>/g)?.length).toBe(pairs)
  expect(drawn(`${'**a** '.repeat(pairs)}**b**`)).toEndWith('**b**</p>')
  expect(drawn(`${'**a** '.repeat(pairs)}\n\n**b**`)).toEndWith('<p><strong>b</strong></p>')
})
