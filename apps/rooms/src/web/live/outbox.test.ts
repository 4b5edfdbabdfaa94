import { expect, spyOn, test } from 'bun:test'
import { CallError } from '@latchkey/web/call'
import { Outbox } from './outbox.ts'

/** An outbox whose requests end when the test says so. */
function createOutbox(savedText = '') {
  const posts: { content: string; clientId: string; end: (error?: Error) => void }[] = []
  const sent: string[] = []
  const waits: number[] = []
  const it = { saved: savedText, runTimer: () => {}, mayRetry: true }
  const outbox = new Outbox({
    savedText,
    post: ({ content }, clientId) =>
      new Promise((resolve, reject) => {
        const store = () => resolve(void sent.push(content))
        posts.push({ content, clientId, end: (error) => (error ? reject(error) : store()) })
      }),
    onChange: (_unsent, text) => void (it.saved = text),
    mayRetry: () => it.mayRetry,
    after: (ms, act) => {
      waits.push(ms)
      it.runTimer = act
      return () => void (it.runTimer = () => {})
    },
  })
  const end = async (refusal?: Error) => {
    posts.at(-1)?.end(refusal)
    for (let tick = 0; tick < 5; tick++) await Promise.resolve()
  }
  const runTimer = async () => {
    it.runTimer()
    for (let tick = 0; tick < 5; tick++) await Promise.resolve()
  }
  const waiting = () => outbox.unsent.map(({ content, problem }) => [content, problem !== undefined])
  const contents = () => posts.map(({ content }) => content)
  return { it, outbox, posts, contents, sent, waits, end, runTimer, waiting, saved: () => it.saved }
}

const OFFLINE = new CallError(0, 'offline')
const REFUSED = new CallError(403, 'No', { code: 'forbidden' })

test('R35.3e: messages are sent one after the other, in the order in which they were written', async () => {
  const { outbox, posts, sent, end, waiting, saved } = createOutbox()
  outbox.add({ content: 'One' })
  outbox.add({ content: 'Two' })
  expect(posts.map(({ content }) => content)).toEqual(['One'])
  await end()
  expect(posts.map(({ content }) => content)).toEqual(['One', 'Two'])
  await end()
  expect(sent).toEqual(['One', 'Two'])
  expect(waiting()).toEqual([])
  expect(saved()).toBe('')
})

test('an unanswered message is sent again under the same id; a refused message waits for the user', async () => {
  const { outbox, posts, sent, end, waiting } = createOutbox()
  outbox.add({ content: 'Refused' })
  outbox.add({ content: 'Unanswered' })
  await end(REFUSED)
  await end(OFFLINE)
  expect(waiting()).toEqual([
    ['Refused', true],
    ['Unanswered', true],
  ])
  outbox.retry()
  expect(waiting()).toEqual([
    ['Refused', true],
    ['Unanswered', false],
  ])
  await end()
  expect(sent).toEqual(['Unanswered'])
  expect(posts[2]?.clientId).toBe(posts[1]?.clientId ?? '')
  outbox.retry(outbox.unsent[0]?.clientId)
  await end()
  expect(sent).toEqual(['Unanswered', 'Refused'])
})

for (const answer of [OFFLINE, new CallError(503, 'Restarting')])
  test(`a later message never overtakes an unanswered one (status ${answer.status})`, async () => {
    const { outbox, contents, sent, end, runTimer, waiting } = createOutbox()
    outbox.add({ content: 'One' })
    outbox.add({ content: 'Two' })
    await end(answer)
    expect(contents()).toEqual(['One'])
    // Neither message was sent, and both are marked.
    expect(waiting()).toEqual([
      ['One', true],
      ['Two', true],
    ])
    outbox.add({ content: 'Three' })
    expect(contents()).toEqual(['One', 'One'])
    await end(answer)
    await runTimer()
    // During an automatic attempt the messages stay marked as not sent.
    expect(waiting()).toEqual([
      ['One', true],
      ['Two', true],
      ['Three', true],
    ])
    await end()
    expect(waiting()).toEqual([
      ['Two', false],
      ['Three', false],
    ])
    await end()
    await end()
    expect(contents()).toEqual(['One', 'One', 'One', 'Two', 'Three'])
    expect(sent).toEqual(['One', 'Two', 'Three'])
    expect(waiting()).toEqual([])
  })

test('retrying any waiting message sends the first one first; if that is removed, the others are sent', async () => {
  const { outbox, contents, sent, end, waiting } = createOutbox()
  for (const content of ['One', 'Two', 'Three']) outbox.add({ content })
  await end(OFFLINE)
  outbox.retry(outbox.unsent[2]?.clientId)
  expect(contents()).toEqual(['One', 'One'])
  await end(OFFLINE)
  outbox.remove(outbox.unsent[0]?.clientId ?? '')
  expect(contents()).toEqual(['One', 'One', 'Two'])
  await end()
  await end()
  expect([sent, waiting()]).toEqual([['Two', 'Three'], []])
})

test('a refused message holds up no other', async () => {
  const { outbox, sent, end, waiting } = createOutbox()
  outbox.add({ content: 'Refused' })
  outbox.add({ content: 'Fine' })
  await end(REFUSED)
  await end()
  outbox.add({ content: 'Fine too' })
  await end()
  expect(sent).toEqual(['Fine', 'Fine too'])
  expect(waiting()).toEqual([['Refused', true]])
})

test('unanswered messages are retried with growing backoff, which an answer resets, and not after the user has left', async () => {
  const random = spyOn(Math, 'random').mockReturnValue(1)
  const { it, outbox, contents, waits, end, runTimer } = createOutbox()
  outbox.add({ content: 'One' })
  await end(OFFLINE)
  for (let times = 1; times <= 7; times++) {
    await runTimer()
    await end(OFFLINE)
  }
  expect(waits).toEqual([500, 1000, 2000, 4000, 8000, 16_000, 30_000, 30_000])
  await runTimer()
  await end()
  outbox.add({ content: 'Two' })
  await end(OFFLINE)
  expect(waits.at(-1)).toBe(500)
  const before = contents()
  it.mayRetry = false
  await runTimer()
  expect(contents()).toEqual(before)
  // Until the user returns.
  outbox.retry()
  expect(contents()).toEqual([...before, 'Two'])
  random.mockRestore()
})

test('a rate-limited message is sent after a pause, and none is overtaken or lost', async () => {
  const { outbox, posts, sent, end, runTimer, waiting } = createOutbox()
  outbox.add({ content: 'One' })
  outbox.add({ content: 'Two' })
  await end(new CallError(429, 'Too fast', { code: 'rate_limited' }))
  expect(posts).toHaveLength(1)
  expect(waiting()).toEqual([
    ['One', false],
    ['Two', false],
  ])
  await runTimer()
  expect(posts.map(({ content }) => content)).toEqual(['One', 'One'])
  expect(posts[1]?.clientId).toBe(posts[0]?.clientId ?? '')
  await end()
  await end()
  expect(sent).toEqual(['One', 'Two'])
})

test('unsent messages of an earlier page are sent by the next one under the same id', async () => {
  const first = createOutbox()
  first.outbox.add({ content: 'Left behind' })
  const second = createOutbox(first.saved())
  expect(second.posts.map(({ content, clientId }) => [content, clientId])).toEqual([
    ['Left behind', first.posts[0]?.clientId ?? ''],
  ])
  await second.end()
  expect(second.waiting()).toEqual([])
})

test('a message that has already arrived as an event needs no answer', async () => {
  const { outbox, posts, waiting, end, saved } = createOutbox()
  outbox.add({ content: 'Quick' })
  outbox.remove(posts[0]?.clientId ?? '')
  expect(waiting()).toEqual([])
  await end(new CallError(0, 'offline'))
  expect(waiting()).toEqual([])
  expect(saved()).toBe('')
})

test('a reply keeps the message that it replies to, over a reload', async () => {
  const first = createOutbox()
  first.outbox.add({ content: 'A reply', replyTo: 'message-1' })
  await first.end(OFFLINE)
  const second = createOutbox(first.saved())
  expect(second.outbox.unsent).toMatchObject([{ content: 'A reply', replyTo: 'message-1' }])
})
