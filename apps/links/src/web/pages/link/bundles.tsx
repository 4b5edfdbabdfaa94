import { CloseButton, Group, Skeleton } from '@mantine/core'
import { useFocusFallback } from '@latchkey/web/focus-fallback'
import { showError, showSuccess } from '@latchkey/web/toast'
import { withUndo } from '@latchkey/web/parts/undo'
import { type Result, call } from '../../call.ts'
import { BundleChip } from '../../parts/bundle-chip.tsx'
import { bundleRemovalOf, usePending } from '../../parts/pending.ts'
import { ReadError } from '../../parts/read-error.tsx'
import { invalidate, useCall } from '../../queries.ts'
import { useText } from '../../texts/text.ts'
import { useUndoableAction } from '../bundles/use-undoable-action.ts'
import { BundlePicker } from './bundle-picker.tsx'
import { isMine } from './link.ts'

type Bundle = Result<'listBundlesForLink'>[number]

/** The bundles of a link. Any user may add it to one, and the owner of a bundle may remove it. */
export function Bundles({ id }: { id: number }) {
  const { data, error, refetch } = useCall('bundles', 'listBundlesForLink', { params: { id } })
  const pending = usePending()
  const add = useAdd(id)
  if (error && !data) return <ReadError error={error} onRetry={() => void refetch()} />
  if (!data) return <Skeleton height={26} width={160} />
  const bundles = data.body.filter((bundle) => !pending.has(bundleRemovalOf(bundle.id, id)))
  return (
    <Group gap={6} miw={0}>
      {bundles.map((bundle) => (
        <Chip key={bundle.id} bundle={bundle} link={id} />
      ))}
      <BundlePicker excluded={data.body.map((bundle) => bundle.id)} onPick={(bundle) => void add(bundle)} />
    </Group>
  )
}

function Chip({ bundle, link }: { bundle: Bundle; link: number }) {
  const { t } = useText()
  const runUndoable = useUndoableAction()
  useFocusFallback('.add-to-bundle')
  const { id, name } = bundle
  const remove = () =>
    runUndoable(bundleRemovalOf(id, link), t('bundles.removingFrom', { name }), () =>
      call('removeLinkFromBundle', { params: { id, linkId: link } }, { keepalive: true }),
    )
  return (
    <BundleChip bundle={bundle}>
      {isMine(bundle) && (
        <CloseButton size="xs" aria-label={t('bundles.removeFrom', { name })} onClick={remove} />
      )}
    </BundleChip>
  )
}

/** Adds the link at once. The owner of the bundle can undo it. */
function useAdd(link: number) {
  const { t, failure } = useText()
  return async (bundle: Pick<Bundle, 'id' | 'name' | 'created_by'>) => {
    const { id, name } = bundle
    const run = async (act: () => Promise<unknown>) => {
      try {
        await act()
        return true
      } catch (error) {
        showError(failure(error), t('shell.close'))
        return false
      } finally {
        await invalidate('bundles')
      }
    }
    if (!(await run(() => call('addLinkToBundle', { params: { id }, body: { link_id: link } })))) return
    const text = t('bundles.linksAdded', { count: 1, name })
    if (!isMine(bundle)) return showSuccess(text)
    withUndo(t, text, {
      act() {},
      undo: () => void run(() => call('removeLinkFromBundle', { params: { id, linkId: link } })),
    })
  }
}
