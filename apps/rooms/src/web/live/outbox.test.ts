import { expect, spyOn, test } from 'bun:test'
import { CallError } from '@latchkey/web/call'
import type { Message } from './frames.ts'
import { Outbox } from './outbox.ts'

/** An outbox whose posts end when the test says so. */
function world(left = '') {
  const posts: { content: string; clientId: string; end: (error?: Error) => void }[] = []
  const sent: string[] = []
  const waits: number[] = []
  const it = { kept: left, goOn: () => {}, mayRetry: true }
  const outbox = new Outbox({
    savedText: left,
    post: (content, clientId) =>
      new Promise((resolve, reject) =>
        posts.push({
          content,
          clientId,
          end: (error) => (error ? reject(error) : resolve({ content } as Message)),
        }),
      ),
    onChange: (_unsent, text) => void (it.kept = text),
    onSent: ({ content }) => sent.push(content ?? ''),
    mayRetry: () => it.mayRetry,
    after: (ms, act) => {
      waits.push(ms)
      it.goOn = act
      return () => void (it.goOn = () => {})
    },
  })
  const end = async (refusal?: Error) => {
    posts.at(-1)?.end(refusal)
    for (let turn = 0; turn < 5; turn++) await Promise.resolve()
  }
  const goOn = async () => {
    it.goOn()
    for (let turn = 0; turn < 5; turn++) await Promise.resolve()
  }
  const waiting = () => outbox.unsent.map(({ content, problem }) => [content, problem !== undefined])
  const contents = () => posts.map(({ content }) => content)
  return { it, outbox, posts, said: contents, sent, waits, end, goOn, waiting, kept: () => it.kept }
}

const OFFLINE = new CallError(0, 'offline')
const REFUSED = new CallError(403, 'No', { code: 'forbidden' })

test('messages are sent one after the other, in the order in which they were written', async () => {
  const { outbox, posts, sent, end, waiting, kept } = world()
  outbox.add('One')
  outbox.add('Two')
  expect(posts.map(({ content }) => content)).toEqual(['One'])
  await end()
  expect(posts.map(({ content }) => content)).toEqual(['One', 'Two'])
  await end()
  expect(sent).toEqual(['One', 'Two'])
  expect(waiting()).toEqual([])
  expect(kept()).toBe('')
})

test('what got no answer is kept, and sent again under the same id; what was refused waits for the person', async () => {
  const { outbox, posts, sent, end, waiting } = world()
  outbox.add('Refused')
  outbox.add('Unheard')
  await end(REFUSED)
  await end(OFFLINE)
  expect(waiting()).toEqual([
    ['Refused', true],
    ['Unheard', true],
  ])
  outbox.retry()
  expect(waiting()).toEqual([
    ['Refused', true],
    ['Unheard', false],
  ])
  await end()
  expect(sent).toEqual(['Unheard'])
  expect(posts[2]?.clientId).toBe(posts[1]?.clientId ?? '')
  outbox.retry(outbox.unsent[0]?.clientId)
  await end()
  expect(sent).toEqual(['Unheard', 'Refused'])
})

for (const answer of [OFFLINE, new CallError(503, 'Restarting')])
  test(`what is written later never overtakes what got no answer, as with ${answer.status}`, async () => {
    const { outbox, said, sent, end, goOn, waiting } = world()
    outbox.add('One')
    outbox.add('Two')
    await end(answer)
    expect(said()).toEqual(['One'])
    // Neither is sent, and it is told of both.
    expect(waiting()).toEqual([
      ['One', true],
      ['Two', true],
    ])
    outbox.add('Three')
    expect(said()).toEqual(['One', 'One'])
    await end(answer)
    await goOn()
    // Tried by itself it goes on being told as not sent.
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
    expect(said()).toEqual(['One', 'One', 'One', 'Two', 'Three'])
    expect(sent).toEqual(['One', 'Two', 'Three'])
    expect(waiting()).toEqual([])
  })

test('whichever of those that wait is to be sent again, the first goes first; without it the others go', async () => {
  const { outbox, said, sent, end, waiting } = world()
  for (const content of ['One', 'Two', 'Three']) outbox.add(content)
  await end(OFFLINE)
  outbox.retry(outbox.unsent[2]?.clientId)
  expect(said()).toEqual(['One', 'One'])
  await end(OFFLINE)
  outbox.remove(outbox.unsent[0]?.clientId ?? '')
  expect(said()).toEqual(['One', 'One', 'Two'])
  await end()
  await end()
  expect([sent, waiting()]).toEqual([['Two', 'Three'], []])
})

test('what was refused holds up nothing', async () => {
  const { outbox, sent, end, waiting } = world()
  outbox.add('Refused')
  outbox.add('Fine')
  await end(REFUSED)
  await end()
  outbox.add('Fine too')
  await end()
  expect(sent).toEqual(['Fine', 'Fine too'])
  expect(waiting()).toEqual([['Refused', true]])
})

test('what gets no answer is sent again after ever longer pauses, from the beginning once there was one, and by nobody who has left', async () => {
  const random = spyOn(Math, 'random').mockReturnValue(1)
  const { it, outbox, said, waits, end, goOn } = world()
  outbox.add('One')
  await end(OFFLINE)
  for (let times = 1; times <= 7; times++) {
    await goOn()
    await end(OFFLINE)
  }
  expect(waits).toEqual([500, 1000, 2000, 4000, 8000, 16_000, 30_000, 30_000])
  await goOn()
  await end()
  outbox.add('Two')
  await end(OFFLINE)
  expect(waits.at(-1)).toBe(500)
  const before = said()
  it.mayRetry = false
  await goOn()
  expect(said()).toEqual(before)
  // Until they come back.
  outbox.retry()
  expect(said()).toEqual([...before, 'Two'])
  random.mockRestore()
})

test('whoever writes too fast waits for a moment, and nothing is overtaken or lost', async () => {
  const { outbox, posts, sent, end, goOn, waiting } = world()
  outbox.add('One')
  outbox.add('Two')
  await end(new CallError(429, 'Too fast', { code: 'rate_limited' }))
  expect(posts).toHaveLength(1)
  expect(waiting()).toEqual([
    ['One', false],
    ['Two', false],
  ])
  await goOn()
  expect(posts.map(({ content }) => content)).toEqual(['One', 'One'])
  expect(posts[1]?.clientId).toBe(posts[0]?.clientId ?? '')
  await end()
  await end()
  expect(sent).toEqual(['One', 'Two'])
})

test('what an earlier page left is sent by the next one, under its id', async () => {
  const first = world()
  first.outbox.add('Left behind')
  const second = world(first.kept())
  expect(second.posts.map(({ content, clientId }) => [content, clientId])).toEqual([
    ['Left behind', first.posts[0]?.clientId ?? ''],
  ])
  await second.end()
  expect(second.waiting()).toEqual([])
})

test('what the room has told already is not waited for', async () => {
  const { outbox, posts, waiting, end, kept } = world()
  outbox.add('Quick')
  outbox.remove(posts[0]?.clientId ?? '')
  expect(waiting()).toEqual([])
  await end(new CallError(0, 'offline'))
  expect(waiting()).toEqual([])
  expect(kept()).toBe('')
})
