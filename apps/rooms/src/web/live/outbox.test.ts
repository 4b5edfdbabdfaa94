import { expect, test } from 'bun:test'
import { CallError } from '@latchkey/web/call'
import type { Message } from './frames.ts'
import { Outbox } from './outbox.ts'

/** An outbox whose posts end when the test says so. */
function world(left = '') {
  const posts: { content: string; clientId: string; end: (error?: Error) => void }[] = []
  const sent: string[] = []
  const it = { kept: left, goOn: () => {} }
  const outbox = new Outbox({
    left,
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
    pause: () => new Promise((resume) => void (it.goOn = resume)),
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
  return { outbox, posts, sent, end, goOn, waiting, kept: () => it.kept }
}

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
  outbox.add('Unheard')
  outbox.add('Refused')
  await end(new CallError(0, 'offline'))
  await end(new CallError(403, 'No', { code: 'forbidden' }))
  expect(waiting()).toEqual([
    ['Unheard', true],
    ['Refused', true],
  ])
  outbox.retry()
  expect(waiting()).toEqual([
    ['Unheard', false],
    ['Refused', true],
  ])
  await end()
  expect(sent).toEqual(['Unheard'])
  expect(posts[2]?.clientId).toBe(posts[0]?.clientId ?? '')
  outbox.retry(outbox.unsent[0]?.clientId)
  await end()
  expect(sent).toEqual(['Unheard', 'Refused'])
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
