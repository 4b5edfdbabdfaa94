import { useLocation } from 'wouter'
import { CallError } from '@latchkey/web/call'
import { call, isRefusal } from '../../call.ts'
import { showError } from '@latchkey/web/toast'
import { withUndo } from '@latchkey/web/parts/undo'
import { invalidate } from '../../queries.ts'
import { useText } from '../../texts/text.ts'
import { markPending, linkDeletionOf, clearPending } from '../../parts/pending.ts'
import { showRefusal, useIsMounted } from '../../parts/refusal-toast.tsx'
import type { LinkRow } from './types.ts'

const isBlocked = (error: unknown) => isRefusal(error, 'link_has_clicks')

/**
 * Runs an action for each link. Shows errors. Returns the changed links and those blocked by
 * clicks.
 */
function useForEachLink() {
  const { t, failure } = useText()
  return async (links: readonly LinkRow[], run: (id: number) => Promise<unknown>) => {
    const results = await Promise.allSettled(links.map(({ id }) => run(id)))
    await invalidate('links', 'bundles', 'totals')
    const errors = results.map((result) => (result.status === 'rejected' ? (result.reason as unknown) : null))
    for (const message of new Set(errors.filter((e) => e !== null && !isBlocked(e)).map(failure)))
      showError(message, t('shell.close'))
    return {
      done: links.filter((_, index) => errors[index] === null),
      blocked: links.filter((_, index) => isBlocked(errors[index])),
    }
  }
}

/** Null if the link has been deleted. */
async function findLink(id: number): Promise<LinkRow | null> {
  try {
    return await call('getLink', { params: { id } })
  } catch (error) {
    if (error instanceof CallError && error.status === 404) return null
    throw error
  }
}

/**
 * Reads the current links with all their clicks. Rows have the clicks of the selected range only,
 * but a deletion concerns all clicks. Shows an error and returns undefined if a read fails.
 */
function useReadLinks() {
  const { t, failure } = useText()
  return async (rows: readonly LinkRow[]): Promise<readonly LinkRow[] | undefined> => {
    try {
      const foundLinks = await Promise.all(rows.map(({ id }) => findLink(id)))
      return foundLinks.filter((link) => link !== null)
    } catch (error) {
      showError(failure(error), t('shell.close'))
      return undefined
    }
  }
}

/**
 * Shows how many links were not deleted because they have clicks, with a button for the next step
 * that works on any page.
 */
function useBlockedNotice(onBlocked: (links: readonly LinkRow[]) => void) {
  const { t } = useText()
  const readLinks = useReadLinks()
  const [, go] = useLocation()
  const isMounted = useIsMounted()
  return (links: readonly LinkRow[]) => {
    const onAction = async (close: () => void) => {
      if (!isMounted.current) {
        close()
        go(`/links/${links[0]?.id}`)
        return
      }
      const current = await readLinks(links)
      if (!current) return
      close()
      if (current.length > 0) onBlocked(current)
    }
    showRefusal(t, t('links.notDeleted', { count: links.length }), (close) => void onAction(close))
  }
}

const disable = (id: number) => call('disableLink', { params: { id } })
const enable = (id: number) => call('enableLink', { params: { id } })

/**
 * Actions for several links. `onBlocked` receives links that are not deleted because they have
 * clicks.
 */
export function useBulkActions(onBlocked: (links: readonly LinkRow[]) => void) {
  const { t } = useText()
  const forEachLink = useForEachLink()
  const showBlocked = useBlockedNotice(onBlocked)
  const readLinks = useReadLinks()
  const remove = (links: readonly LinkRow[], force: boolean) => {
    const keys = links.map(({ id }) => linkDeletionOf(id))
    markPending(keys)
    const act = async () => {
      const { blocked } = await forEachLink(links, (id) =>
        call('deleteLink', { params: { id }, query: { force } }, { keepalive: true }),
      )
      clearPending(keys)
      if (blocked.length > 0) showBlocked(blocked)
    }
    withUndo(t, t('undo.deleted', { count: links.length }), {
      act: () => void act(),
      undo: () => clearPending(keys),
    })
  }
  const change = async (links: readonly LinkRow[], to: 'disabled' | 'enabled') => {
    const linksToChange = links.filter(({ disabled_at }) => (disabled_at === null) === (to === 'disabled'))
    const [run, reverse] = to === 'disabled' ? [disable, enable] : [enable, disable]
    // The toast counts, and undo reverts, only the links that this action changed.
    const { done } = await forEachLink(linksToChange, run)
    if (done.length === 0) return
    const message = t(to === 'disabled' ? 'links.wasDisabled' : 'links.wasEnabled', { count: done.length })
    withUndo(t, message, { act() {}, undo: () => void forEachLink(done, reverse) })
  }
  return {
    disable: (links: readonly LinkRow[]) => void change(links, 'disabled'),
    enable: (links: readonly LinkRow[]) => void change(links, 'enabled'),
    /**
     * Deletes the links without clicks after the time to undo, and calls `onBlocked` with the
     * others. Returns false if the links could not be read.
     */
    remove: async (rows: readonly LinkRow[]) => {
      const links = await readLinks(rows)
      if (!links) return false
      const free = links.filter(({ total_clicks }) => total_clicks === 0)
      const blocked = links.filter(({ total_clicks }) => total_clicks > 0)
      if (free.length > 0) remove(free, false)
      if (blocked.length > 0) onBlocked(blocked)
      return true
    },
    removeWithClicks: (link: LinkRow) => remove([link], true),
  }
}

export type BulkActions = ReturnType<typeof useBulkActions>
