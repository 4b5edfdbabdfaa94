import { useLocation } from 'wouter'
import { CallError } from '@latchkey/web/call'
import { call } from '../../call.ts'
import { showError } from '@latchkey/web/toast'
import { withUndo } from '@latchkey/web/parts/undo'
import { changed } from '../../queries.ts'
import { useText } from '../../texts/text.ts'
import { begin, linkDeletionOf, settle } from '../../parts/pending.ts'
import { tellRefused, useShown } from '../../parts/refused.tsx'
import type { LinkRow } from './link-table.tsx'

const HAS_CLICKS = 'Cannot delete a link with clicks, disable it instead'

const isBlocked = (error: unknown) => error instanceof CallError && error.message === HAS_CLICKS

/** Does something to each link; says what went wrong, and returns those to which it is done and those whose clicks forbade it. */
function useEach() {
  const { t, failure } = useText()
  return async (links: readonly LinkRow[], run: (id: number) => Promise<unknown>) => {
    const results = await Promise.allSettled(links.map(({ id }) => run(id)))
    await changed('links', 'bundles', 'totals')
    const errors = results.map((result) => (result.status === 'rejected' ? (result.reason as unknown) : null))
    for (const message of new Set(errors.filter((e) => e !== null && !isBlocked(e)).map(failure)))
      showError(message, t('shell.close'))
    return {
      done: links.filter((_, index) => errors[index] === null),
      kept: links.filter((_, index) => isBlocked(errors[index])),
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
function useLifetime() {
  const { t, failure } = useText()
  return async (rows: readonly LinkRow[]): Promise<readonly LinkRow[] | undefined> => {
    try {
      const found = await Promise.all(rows.map(({ id }) => findLink(id)))
      return found.filter((link) => link !== null)
    } catch (error) {
      showError(failure(error), t('shell.close'))
      return undefined
    }
  }
}

/** Tells of links that were not deleted for their clicks, and leads to what can be done, on whatever page one is then. */
function useRefusal(onBlocked: (links: readonly LinkRow[]) => void) {
  const { t } = useText()
  const lifetimeOf = useLifetime()
  const [, go] = useLocation()
  const shown = useShown()
  return (links: readonly LinkRow[]) => {
    const ask = async (close: () => void) => {
      if (!shown.current) {
        close()
        go(`/links/${links[0]?.id}`)
        return
      }
      const now = await lifetimeOf(links)
      if (!now) return
      close()
      if (now.length > 0) onBlocked(now)
    }
    tellRefused(t, t('links.kept', { count: links.length }), (close) => void ask(close))
  }
}

const disable = (id: number) => call('disableLink', { params: { id } })
const enable = (id: number) => call('enableLink', { params: { id } })

/** What is done to several links at once. `onBlocked` gets those whose clicks forbid to delete them. */
export function useLinkWork(onBlocked: (links: readonly LinkRow[]) => void) {
  const { t } = useText()
  const each = useEach()
  const refused = useRefusal(onBlocked)
  const lifetimeOf = useLifetime()
  const remove = (links: readonly LinkRow[], force: boolean) => {
    const keys = links.map(({ id }) => linkDeletionOf(id))
    begin(keys)
    const act = async () => {
      const { kept } = await each(links, (id) =>
        call('deleteLink', { params: { id }, query: { force } }, { keepalive: true }),
      )
      settle(keys)
      if (kept.length > 0) refused(kept)
    }
    withUndo(t, t('undo.deleted', { count: links.length }), {
      act: () => void act(),
      undo: () => settle(keys),
    })
  }
  const change = async (links: readonly LinkRow[], to: 'disabled' | 'enabled') => {
    const changing = links.filter(({ disabled_at }) => (disabled_at === null) === (to === 'disabled'))
    const [run, back] = to === 'disabled' ? [disable, enable] : [enable, disable]
    // Told and undone is only what this changed.
    const { done } = await each(changing, run)
    if (done.length === 0) return
    const said = t(to === 'disabled' ? 'links.wasDisabled' : 'links.wasEnabled', { count: done.length })
    withUndo(t, said, { act() {}, undo: () => void each(done, back) })
  }
  return {
    disable: (links: readonly LinkRow[]) => void change(links, 'disabled'),
    enable: (links: readonly LinkRow[]) => void change(links, 'enabled'),
    /** Deletes what it can, after the time to undo; asks about what is known to have clicks. False where it cannot tell. */
    remove: async (rows: readonly LinkRow[]) => {
      const links = await lifetimeOf(rows)
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

export type LinkWork = ReturnType<typeof useLinkWork>
