import { showError } from '@latchkey/web/toast'
import { withUndo } from '@latchkey/web/parts/undo'
import { useState } from 'react'
import type { ListedLink } from '../../../links/schema.ts'
import { type Input, call, callForPage, isRefusal } from '../../call.ts'
import { invalidate } from '../../queries.ts'
import { useText } from '../../texts/text.ts'

/** Links of one request. */
const CHUNK = 500

type Filter = NonNullable<Input<'countLinks'>['query']>
type LinkChange = Input<'updateLinks'>['body']['set']
type IsUnchanged = (link: ListedLink) => boolean

/**
 * Ids of the links that match and that the action would change, newest first. Links that are created
 * meanwhile are not among them.
 */
async function* idsOf(filter: Filter, isUnchanged: IsUnchanged = () => false): AsyncGenerator<number[]> {
  let cursor: string | undefined
  do {
    const query = { ...filter, limit: CHUNK, ...(cursor !== undefined && { cursor }) }
    const { body, next } = await callForPage('listLinks', { query })
    const ids = body.filter((link) => !isUnchanged(link)).map(({ id }) => id)
    if (ids.length > 0) yield ids
    cursor = next
  } while (cursor !== undefined)
}

async function* chunksOf(ids: readonly number[]): AsyncGenerator<number[]> {
  for (let from = 0; from < ids.length; from += CHUNK) yield ids.slice(from, from + CHUNK)
}

const isIds = (target: readonly number[] | Filter): target is readonly number[] => Array.isArray(target)

/** Actions for these links, or for all links of a filter, in several requests. */
export function useFoundActions(target: readonly number[] | Filter) {
  const { t, failure } = useText()
  /** Number of links that were treated so far; undefined while no action runs. */
  const [done, setDone] = useState<number>()
  const chunks = (isUnchanged?: IsUnchanged) =>
    isIds(target) ? chunksOf(target) : idsOf(target, isUnchanged)
  /** Returns the ids of the changed links. Throws only if the new owner must be confirmed. */
  const run = async (idsToChange: AsyncGenerator<number[]>, set: LinkChange) => {
    const changed: number[] = []
    let treated = 0
    let refused = 0
    setDone(0)
    try {
      for await (const ids of idsToChange) {
        const result = await call('updateLinks', { body: { ids, set } })
        const changedIds = ids.filter((_, at) => result.results[at]?.error === undefined)
        changed.push(...changedIds)
        refused += ids.length - changedIds.length
        treated += ids.length
        setDone(treated)
      }
    } catch (error) {
      if (isRefusal(error, 'owner_unknown')) throw error
      showError(failure(error), t('shell.close'))
    } finally {
      setDone(undefined)
    }
    await invalidate('links', 'bundles', 'totals')
    if (refused > 0) showError(t('links.notChanged', { count: refused }), t('shell.close'))
    return changed
  }
  const disable = async (disabled: boolean) => {
    const isUnchanged = ({ disabled_at: since }: ListedLink) => (since !== null) === disabled
    const changed = await run(chunks(isUnchanged), { disabled })
    if (changed.length === 0) return
    const message = t(disabled ? 'links.wasDisabled' : 'links.wasEnabled', { count: changed.length })
    const undo = () => void run(chunksOf(changed), { disabled: !disabled })
    withUndo(t, message, { act() {}, undo })
  }
  return {
    done,
    disable: () => disable(true),
    enable: () => disable(false),
    remove: async () => (await run(chunks(), { delete: true })).length,
    addToBundle: async (id: number) => {
      const isMember = ({ bundles }: ListedLink) => bundles.some((bundle) => bundle.id === id)
      return (await run(chunks(isMember), { bundle: id })).length
    },
    /** Unix seconds; null for links that never expire. */
    expire: async (expiresAt: number | null) =>
      (
        await run(
          chunks(({ expires_at }) => expires_at === expiresAt),
          { expires_at: expiresAt },
        )
      ).length,
    /** Throws `owner_unknown` unless the owner is known or confirmed. */
    transfer: async (owner: string, isConfirmed: boolean) =>
      (await run(chunks(), { owner, ...(isConfirmed && { confirm: true }) })).length,
  }
}

export type FoundActions = ReturnType<typeof useFoundActions>
