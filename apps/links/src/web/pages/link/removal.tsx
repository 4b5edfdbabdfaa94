import { useLocation } from 'wouter'
import { CallError } from '@latchkey/web/call'
import { call } from '../../call.ts'
import { showError } from '@latchkey/web/toast'
import { withUndo } from '@latchkey/web/parts/undo'
import { changed } from '../../queries.ts'
import { useText } from '../../texts/text.ts'
import { begin, linkDeletionOf, settle, slugRemovalOf, usePending } from '../../parts/pending.ts'
import { tellRefused, useShown } from '../../parts/refused.tsx'
import type { Link, Slug } from './link.ts'

/** The whole link, or a slug of it. */
export type Doomed = 'link' | Slug

const REFUSED_FOR_CLICKS: ReadonlySet<string> = new Set([
  'Cannot delete a link with clicks, disable it instead',
  'Cannot remove a slug with clicks, disable it instead',
])

export interface Removal {
  /** Deletes or removes it after the time to undo; where clicks are known to forbid that, asks instead. */
  begin: (doomed: Doomed) => void
  /** The same with its clicks. */
  force: (doomed: Doomed) => void
  isLeaving: (doomed: Doomed) => boolean
}

/** `ask` is called with what has clicks that forbid its removal. */
export function useRemoval(link: Link, ask: (doomed: Doomed) => void): Removal {
  const { t, failure } = useText()
  const [, go] = useLocation()
  const pending = usePending()
  const keyOf = (doomed: Doomed) =>
    doomed === 'link' ? linkDeletionOf(link.id) : slugRemovalOf(link.id, doomed.slug)
  const shown = useShown()
  const refuse = (doomed: Doomed, error: unknown) => {
    if (!(error instanceof CallError && REFUSED_FOR_CLICKS.has(error.message))) {
      showError(failure(error), t('shell.close'))
      return
    }
    const text = doomed === 'link' ? t('link.notDeleted') : t('link.notRemoved', { slug: doomed.slug })
    tellRefused(t, text, (close) => {
      close()
      if (shown.current) ask(doomed)
      else go(`/links/${link.id}`)
    })
  }
  const carryOut = async (doomed: Doomed, force: boolean) => {
    try {
      await remove(link.id, doomed, force)
      if (doomed === 'link' && shown.current) go('/links')
    } catch (error) {
      refuse(doomed, error)
    }
    await changed('links', 'totals')
    settle([keyOf(doomed)])
  }
  const start = (doomed: Doomed, force: boolean) => {
    begin([keyOf(doomed)])
    const text = doomed === 'link' ? t('link.leaving') : t('link.removing', { slug: doomed.slug })
    withUndo(t, text, { act: () => void carryOut(doomed, force), undo: () => settle([keyOf(doomed)]) })
  }
  const clicksOf = (doomed: Doomed) => (doomed === 'link' ? link.total_clicks : doomed.click_count)
  return {
    begin: (doomed) => (clicksOf(doomed) > 0 ? ask(doomed) : start(doomed, false)),
    force: (doomed) => start(doomed, true),
    isLeaving: (doomed) => pending.has(keyOf(doomed)),
  }
}

function remove(id: number, doomed: Doomed, force: boolean): Promise<unknown> {
  const options = { keepalive: true }
  const query = { force }
  if (doomed === 'link') return call('deleteLink', { params: { id }, query }, options)
  return call('removeSlug', { params: { id, slug: doomed.slug }, query }, options)
}
