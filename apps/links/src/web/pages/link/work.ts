import { showError } from '@latchkey/web/toast'
import { useMutation } from '@tanstack/react-query'
import { call } from '../../call.ts'
import { primarySlug } from '../../parts/short.ts'
import { withUndo } from '@latchkey/web/parts/undo'
import { changed } from '../../queries.ts'
import { useText } from '../../texts/text.ts'
import type { Link, Slug } from './link.ts'

interface Work {
  run: () => Promise<unknown>
  /** What is said once it is done, and what takes it back; to take it back has neither. */
  done?: string
  undo?: () => Promise<unknown>
}

/** What acts at once and can be taken back: disable, enable, another primary slug. */
export function useWork(link: Link) {
  const { t, failure } = useText()
  const { mutate } = useMutation({
    mutationFn: async ({ run }: Work) => {
      await run()
      await changed('links', 'totals')
    },
    // Not where it is begun: on another page that would not be told any more.
    onSuccess(_, { done, undo }): void {
      if (done !== undefined && undo) withUndo(t, done, { act() {}, undo: () => act({ run: undo }) })
    },
    onError: (error) => showError(failure(error), t('shell.close')),
  })
  const act = (work: Work) => mutate(work)
  const params = { id: link.id }
  const on = () => call('enableLink', { params })
  const off = () => call('disableLink', { params })
  const expire = (expires_at: number | null) => call('updateLink', { params, body: { expires_at } })
  const primary = (slug: string) => call('choosePrimarySlug', { params, body: { slug } })
  return {
    disable: () => act({ done: t('link.disabled'), run: off, undo: on }),
    enable: () => act({ done: t('link.enabled'), run: on, undo: off }),
    clearExpiry() {
      const { expires_at } = link
      act({
        done: t('link.expiryCleared'),
        run: () => expire(null),
        undo: () => expire(expires_at),
      })
    },
    makePrimary({ slug }: Slug) {
      const before = primarySlug(link)
      act({ done: t('link.madePrimary', { slug }), run: () => primary(slug), undo: () => primary(before) })
    },
    disableSlug({ slug, is_primary }: Slug) {
      act({
        done: t('link.slugDisabled', { slug }),
        run: () => call('disableSlug', { params: { ...params, slug } }),
        async undo() {
          await call('enableSlug', { params: { ...params, slug } })
          if (is_primary) await primary(slug)
        },
      })
    },
    enableSlug({ slug }: Slug) {
      act({
        done: t('link.slugEnabled', { slug }),
        run: () => call('enableSlug', { params: { ...params, slug } }),
        undo: () => call('disableSlug', { params: { ...params, slug } }),
      })
    },
  }
}
