import { showError } from '@latchkey/web/toast'
import { useMutation } from '@tanstack/react-query'
import { call } from '../../call.ts'
import { primarySlug } from '../../parts/short-url.ts'
import { withUndo } from '@latchkey/web/parts/undo'
import { invalidate } from '../../queries.ts'
import { useText } from '../../texts/text.ts'
import type { Link, Slug } from './link.ts'

interface LinkAction {
  run: () => Promise<unknown>
  /** Text of the toast after the action, which offers `undo`. An undo has neither. */
  successText?: string
  undo?: () => Promise<unknown>
}

/** Actions that run immediately and can be undone: disable, enable, choose a primary slug. */
export function useLinkActions(link: Link) {
  const { t, failure } = useText()
  const { mutate } = useMutation({
    mutationFn: async ({ run }: LinkAction) => {
      await run()
      await invalidate('links', 'totals')
    },
    // Callbacks of `mutate` would not run after the user has left the page.
    onSuccess(_, { successText, undo }): void {
      if (successText !== undefined && undo)
        withUndo(t, successText, { act() {}, undo: () => perform({ run: undo }) })
    },
    onError: (error) => showError(failure(error), t('shell.close')),
  })
  const perform = (action: LinkAction) => mutate(action)
  const params = { id: link.id }
  const enable = () => call('enableLink', { params })
  const disable = () => call('disableLink', { params })
  const setExpiry = (expires_at: number | null) => call('updateLink', { params, body: { expires_at } })
  const setPrimary = (slug: string) => call('choosePrimarySlug', { params, body: { slug } })
  return {
    disable: () => perform({ successText: t('link.disabled'), run: disable, undo: enable }),
    enable: () => perform({ successText: t('link.enabled'), run: enable, undo: disable }),
    clearExpiry() {
      const { expires_at } = link
      perform({
        successText: t('link.expiryCleared'),
        run: () => setExpiry(null),
        undo: () => setExpiry(expires_at),
      })
    },
    makePrimary({ slug }: Slug) {
      const previousSlug = primarySlug(link)
      perform({
        successText: t('link.madePrimary', { slug }),
        run: () => setPrimary(slug),
        undo: () => setPrimary(previousSlug),
      })
    },
    disableSlug({ slug, is_primary }: Slug) {
      perform({
        successText: t('link.slugDisabled', { slug }),
        run: () => call('disableSlug', { params: { ...params, slug } }),
        async undo() {
          await call('enableSlug', { params: { ...params, slug } })
          if (is_primary) await setPrimary(slug)
        },
      })
    },
    enableSlug({ slug }: Slug) {
      perform({
        successText: t('link.slugEnabled', { slug }),
        run: () => call('enableSlug', { params: { ...params, slug } }),
        undo: () => call('disableSlug', { params: { ...params, slug } }),
      })
    },
  }
}
