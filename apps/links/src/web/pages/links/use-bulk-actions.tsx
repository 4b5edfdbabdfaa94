import { useLocation } from 'wouter'
import { CallError } from '@latchkey/web/call'
import { call } from '../../call.ts'
import { showError } from '@latchkey/web/toast'
import { withUndo } from '@latchkey/web/parts/undo'
import { invalidate } from '../../queries.ts'
import { useText } from '../../texts/text.ts'
import { markPending, linkDeletionOf, clearPending } from '../../parts/pending.ts'
import { showRefusal, useIsMounted } from '../../parts/refusal-toast.tsx'
import type { LinkRow } from './link-table.tsx'

const HAS_CLICKS = 'Cannot delete a link with clicks, disable it instead'

const isBlocked = (error: unknown) => error instanceof CallError && error.message === HAS_CLICKS

/** Does something to each link; says what went wrong, and returns those to which it is done and those whose clicks forbade it. */
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

/** Null once it is gone. */
async function findLink(id: number): Promise<LinkRow | null> {
  try {
    return await call('getLink', { params: { id } })
  } catch (error) {
    if (error instanceof CallError && error.status === 404) return null
    throw error
  }
}

/**
 * Links as they are now, with every click there has been: rows count those of the page's window, and a link is deleted with
 * all of them. Nothing where that cannot be known, which is said.
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

/** Tells of links that were not deleted for their clicks, and leads to what can be done, on whatever page one is then. */
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
    showRefusal(t, t('links.kept', { count: links.length }), (close) => void onAction(close))
  }
}

const disable = (id: number) => call('disableLink', { params: { id } })
const enable = (id: number) => call('enableLink', { params: { id } })

/** What is done to several links at once. `onBlocked` gets those whose clicks forbid to delete them. */
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
    // Told and undone is only what this changed.
    const { done } = await forEachLink(linksToChange, run)
    if (done.length === 0) return
    const message = t(to === 'disabled' ? 'links.wasDisabled' : 'links.wasEnabled', { count: done.length })
    withUndo(t, message, { act() {}, undo: () => void forEachLink(done, reverse) })
  }
  return {
    disable: (links: readonly LinkRow[]) => void change(links, 'disabled'),
    enable: (links: readonly LinkRow[]) => void change(links, 'enabled'),
    /** Deletes what it can, after the time to undo; asks about what is known to have clicks. False where it cannot tell. */
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
