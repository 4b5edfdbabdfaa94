import { showError } from '@latchkey/web/toast'
import { withUndo } from '@latchkey/web/parts/undo'
import { useState } from 'react'
import { type Input, call, callForPage } from '../../call.ts'
import { invalidate } from '../../queries.ts'
import { useText } from '../../texts/text.ts'

/** Links of one request. */
const CHUNK = 500

type Filter = NonNullable<Input<'countLinks'>['query']>
type LinkChange = Input<'changeLinks'>['body']['set']

/** Ids of the links that match, newest first. Links that are created meanwhile are not among them. */
async function* idsOf(filter: Filter): AsyncGenerator<number[]> {
  let cursor: string | undefined
  do {
    const query = { ...filter, limit: CHUNK, ...(cursor !== undefined && { cursor }) }
    const { body, next } = await callForPage('listLinks', { query })
    if (body.length > 0) yield body.map(({ id }) => id)
    cursor = next
  } while (cursor !== undefined)
}

async function* chunksOf(ids: readonly number[]): AsyncGenerator<number[]> {
  for (let from = 0; from < ids.length; from += CHUNK) yield ids.slice(from, from + CHUNK)
}

/** Actions for all links of a filter, in several requests. */
export function useFoundActions(filter: Filter) {
  const { t, failure } = useText()
  /** Number of links that were treated so far; undefined while no action runs. */
  const [done, setDone] = useState<number>()
  const run = async (chunks: AsyncGenerator<number[]>, set: LinkChange) => {
    const changed: number[] = []
    let treated = 0
    let refused = 0
    setDone(0)
    try {
      for await (const ids of chunks) {
        const result = await call('changeLinks', { body: { ids, set } })
        changed.push(...result.changed)
        refused += result.refused.length
        treated += ids.length
        setDone(treated)
      }
    } catch (error) {
      showError(failure(error), t('shell.close'))
    }
    setDone(undefined)
    await invalidate('links', 'bundles', 'totals')
    if (refused > 0) showError(t('links.notChanged', { count: refused }), t('shell.close'))
    return changed
  }
  const disable = async (disabled: boolean) => {
    const changed = await run(idsOf(filter), { disabled })
    if (changed.length === 0) return
    const message = t(disabled ? 'links.wasDisabled' : 'links.wasEnabled', { count: changed.length })
    const undo = () => void run(chunksOf(changed), { disabled: !disabled })
    withUndo(t, message, { act() {}, undo })
  }
  return {
    done,
    disable: () => disable(true),
    enable: () => disable(false),
    remove: async () => (await run(idsOf(filter), { delete: true })).length,
    addToBundle: async (id: number) => (await run(idsOf(filter), { add_to_bundle: id })).length,
  }
}
