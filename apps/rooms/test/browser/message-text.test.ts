import { beforeAll, expect, test } from 'bun:test'
import { isVisible } from '@latchkey/http/visible'
import { expectAccessibleViews } from '@latchkey/web/testing/browser'
import { createMessage, createRoom, member } from '../actions.ts'
import { hostileMessages } from '../markdown/hostile-messages.ts'
import { ALICE } from '../provider/hostile.ts'
import { ROOT, isRefusal, roomPages } from './browser.ts'
import { lines } from './room-page.ts'

const pages = roomPages({ limits: { message_length: 20_000 } })

beforeAll(async () => {
  await pages.signIn(ROOT)
}, 60_000)

const SAMPLE = `**Bold**, *emphasised*, ~~struck~~ and \`code\`
next line, see [the docs](https://example.com/docs) or [bank.example](https://evil.example)

> A quote
> - with a list

1. First
2. Second

\`\`\`ts
const answer: string = 'forty-two' // a comment
\`\`\``

test('R29.3: formatted messages are drawn, their code in colours, in every width and scheme', async () => {
  const host = await member(pages.service(), 'Hanna Host')
  const { id } = await createRoom(host, { name: 'Garden' })
  await createMessage(host, id, SAMPLE)
  const { page, errors } = await pages.openAs(ALICE, `/rooms/${id}`)
  const [message] = await lines(page).all()
  for (const [selector, text] of [
    ['strong', 'Bold'],
    ['em', 'emphasised'],
    ['del', 'struck'],
    ['p > code', 'code'],
    ['blockquote li', 'with a list'],
    ['ol li:nth-child(2)', 'Second'],
    ['pre .keyword', 'const'],
    ['.real-host', '(evil.example)'],
  ] as const)
    await message?.locator(selector).getByText(text, { exact: true }).waitFor()
  await expectAccessibleViews(page, 'message-text', [1440, 390])
  expect(errors).toEqual([])
}, 60_000)

test('R29.3b, R29.3e: hostile messages are drawn without HTML, images or headings of their own, and every link is bound', async () => {
  const host = await member(pages.service(), 'Hanna Host')
  const { id } = await createRoom(host, { name: 'Harbour' })
  const { page, errors } = await pages.openAs(ALICE, `/rooms/${id}`)
  const requests: string[] = []
  page.on('request', (request) => requests.push(request.url()))
  // Messages that are there when she enters would be new to her, and keep the page from the end.
  await page.getByText('This is the start of Harbour').waitFor()
  // The server refuses others.
  const valid = hostileMessages.filter(
    (content) =>
      isVisible(content) && content.isWellFormed() && !content.includes('\0') && content.length < 20_000,
  )
  // The shortest last: of those, the most are in the page.
  for (const content of valid.toSorted((a, b) => b.length - a.length)) await createMessage(host, id, content)
  await createMessage(host, id, 'The last of them')
  await lines(page).getByText('The last of them').waitFor()
  const drawn = await page.locator('.message-text').evaluateAll((all) => {
    const within = all.flatMap((text) => [...text.querySelectorAll('*:not(.message-fold)')])
    return {
      names: [...new Set(within.map(({ localName }) => localName))].toSorted(),
      attributes: [...new Set(within.flatMap((part) => part.getAttributeNames()))].toSorted(),
      links: [
        ...new Set(
          within
            .filter(({ localName }) => localName === 'a')
            .map((a) => `${a.getAttribute('rel')} ${a.getAttribute('target')}`),
        ),
      ],
    }
  })
  const allowed = new Set('a bdi blockquote br code del em li ol p pre span strong ul'.split(' '))
  expect(drawn.names.filter((name) => !allowed.has(name))).toEqual([])
  expect(drawn.links).toEqual(['noopener noreferrer nofollow ugc _blank'])
  expect(drawn.attributes.filter((name) => /^on|src/.test(name))).toEqual([])
  expect(requests.filter((url) => !url.startsWith(pages.at('/')))).toEqual([])
  expect(errors.filter((text) => !isRefusal(text))).toEqual([])
}, 90_000)
