import { afterEach, beforeEach, expect, test } from 'bun:test'
import { addTexts, hasText, startTexts } from './texts.ts'

beforeEach(() => void Object.assign(globalThis, { document: { documentElement: { lang: 'en' } } }))
afterEach(() => void Reflect.deleteProperty(globalThis, 'document'))

test('texts of a part stay on display although those of the app, requested before, arrive later', async () => {
  const first = Promise.withResolvers<void>()
  let count = 0
  const texts = async () => {
    count += 1
    if (count === 1) await first.promise
    return { default: { 'app.name': 'Test' } }
  }
  const started = startTexts({ texts, failureKey: () => undefined })
  await addTexts(async () => ({ default: { 'part.title': 'Part' } }))
  first.resolve()
  await started
  expect([hasText('app.name'), hasText('part.title')]).toEqual([true, true])
})

test('a second request for texts that are still loading waits for them', async () => {
  const loading = Promise.withResolvers<void>()
  const part = async () => {
    await loading.promise
    return { default: { 'late.title': 'Late' } }
  }
  const [one, two] = [addTexts(part), addTexts(part)]
  let isDone = false
  void two.then(() => (isDone = true))
  await new Promise((resolve) => setImmediate(resolve))
  expect([isDone, hasText('late.title')]).toEqual([false, false])
  loading.resolve()
  await Promise.all([one, two])
  expect(hasText('late.title')).toBe(true)
})
