import { useLocation } from 'wouter'
import { call, isRefusal } from '../../call.ts'
import { showError } from '@latchkey/web/toast'
import { withUndo } from '@latchkey/web/parts/undo'
import { invalidate } from '../../queries.ts'
import { useText } from '../../texts/text.ts'
import { markPending, linkDeletionOf, clearPending, slugRemovalOf, usePending } from '../../parts/pending.ts'
import { showRefusal, useIsMounted } from '../../parts/refusal-toast.tsx'
import type { Link, Slug } from './link.ts'

/** The link itself or one of its slugs. */
export type DeletionTarget = 'link' | Slug

export interface Removal {
  /** Deletes or removes the target after the time to undo. If it has clicks, calls `onBlocked`. */
  begin: (target: DeletionTarget) => void
  /** Deletes or removes the target with its clicks, after the time to undo. */
  force: (target: DeletionTarget) => void
  isPending: (target: DeletionTarget) => boolean
}

/** Calls `onBlocked` with a target that cannot be deleted or removed because it has clicks. */
export function useRemoval(link: Link, onBlocked: (target: DeletionTarget) => void): Removal {
  const { t, failure } = useText()
  const [, go] = useLocation()
  const pending = usePending()
  const keyOf = (target: DeletionTarget) =>
    target === 'link' ? linkDeletionOf(link.id) : slugRemovalOf(link.id, target.slug)
  const isMounted = useIsMounted()
  const handleError = (target: DeletionTarget, error: unknown) => {
    if (!isRefusal(error, 'link_has_clicks', 'slug_has_clicks')) {
      showError(failure(error), t('shell.close'))
      return
    }
    const text = target === 'link' ? t('link.notDeleted') : t('link.notRemoved', { slug: target.slug })
    showRefusal(t, text, (close) => {
      close()
      if (isMounted.current) onBlocked(target)
      else go(`/links/${link.id}`)
    })
  }
  const execute = async (target: DeletionTarget, force: boolean) => {
    try {
      await deleteTarget(link.id, target, force)
      if (target === 'link' && isMounted.current) go('/links')
    } catch (error) {
      handleError(target, error)
    }
    await invalidate('links', 'totals')
    clearPending([keyOf(target)])
  }
  const start = (target: DeletionTarget, force: boolean) => {
    markPending([keyOf(target)])
    const text = target === 'link' ? t('link.isDeleting') : t('link.removing', { slug: target.slug })
    withUndo(t, text, { act: () => void execute(target, force), undo: () => clearPending([keyOf(target)]) })
  }
  const clicksOf = (target: DeletionTarget) => (target === 'link' ? link.total_clicks : target.click_count)
  return {
    begin: (target) => (clicksOf(target) > 0 ? onBlocked(target) : start(target, false)),
    force: (target) => start(target, true),
    isPending: (target) => pending.has(keyOf(target)),
  }
}

function deleteTarget(id: number, target: DeletionTarget, force: boolean): Promise<unknown> {
  const options = { keepalive: true }
  const query = { force }
  if (target === 'link') return call('deleteLink', { params: { id }, query }, options)
  return call('removeSlug', { params: { id, slug: target.slug }, query }, options)
}
