import { beforeEach, expect, test } from 'bun:test'
import { Answers } from './answers.ts'
import { answersElement, collectAnswers } from './collect-answers.ts'

const request = new Request('http://localhost/page', { headers: { cookie: 'session=1' } })
const requests: Request[] = []

const ask = (inner: Request): Response => {
  requests.push(inner)
  const { pathname } = new URL(inner.url)
  if (pathname === '/api/refused') return Response.json({ error: 'No' }, { status: 403 })
  return Response.json(
    { name: '</script><b>' },
    { headers: { 'X-Total-Count': '7', 'X-Request-Id': 'r1', 'Set-Cookie': 'csrf=2' } },
  )
}

beforeEach(() => void requests.splice(0))

test('a page comes with the answers to the calls of its person, without refusals and what is only for the browser', async () => {
  const { answers, cookies } = await collectAnswers(request, ['/api/a?b=1', '/api/refused', '/api/c'], ask)
  expect(requests.map(({ method, url, headers }) => [method, url, headers.get('cookie')])).toEqual([
    ['GET', 'http://localhost/api/a?b=1', 'session=1'],
    ['GET', 'http://localhost/api/refused', 'session=1'],
    ['GET', 'http://localhost/api/c', 'session=1'],
  ])
  expect(answers.map((json) => JSON.parse(json) as unknown)).toEqual(
    ['/api/a?b=1', '/api/c'].map((address) => ({
      address,
      headers: { 'x-total-count': '7', date: expect.stringMatching(/ GMT$/) },
      body: { name: '</script><b>' },
    })),
  )
  expect(cookies).toEqual(['csrf=2'])
})

test('an answer that fails or takes too long is left out, and holds up no page', async () => {
  const hung = new Promise<Response>(() => {})
  const answerOf = ({ url }: Request) => {
    if (url.endsWith('/hangs')) return hung
    if (url.endsWith('/fails')) throw new Error('Failed on purpose')
    return ask(request)
  }
  const startedMs = performance.now()
  const { answers } = await collectAnswers(request, ['/hangs', '/fails', '/answers'], answerOf)
  expect(answers.map((json) => (JSON.parse(json) as { address: string }).address)).toEqual(['/answers'])
  expect(performance.now() - startedMs).toBeLessThan(5_000)
})

test('no text in an answer can end the element with the answers or begin another', async () => {
  const { answers } = await collectAnswers(request, ['/api/a'], ask)
  const html = answersElement(answers)
  expect(html.match(/</g)).toHaveLength(2)
  expect(JSON.parse(html.replace(/^<[^>]*>|<[^<]*$/g, ''))).toEqual(
    answers.map((json) => JSON.parse(json) as unknown),
  )
  expect(answersElement([])).toBe('')
})

test('an answer is taken once, and none after a change', async () => {
  const { answers } = await collectAnswers(request, ['/api/a', '/api/b'], ask)
  const embedded = new Answers(() => `[${answers.join(',')}]`)
  const first = embedded.take('/api/a')
  expect([first?.body, first?.headers.get('X-Total-Count')]).toEqual([{ name: '</script><b>' }, '7'])
  expect(embedded.take('/api/a')).toBeUndefined()
  embedded.drop()
  expect(embedded.take('/api/b')).toBeUndefined()
})
