import { Skeleton } from '@mantine/core'
import { Suspense, lazy } from 'react'
import type { ChangeKind } from './change-form.tsx'
import { type FoundActions, useFoundActions } from './use-found-actions.ts'

const LazyForm = lazy(() => import('./change-form.tsx'))

interface Props {
  kind: ChangeKind
  actions: FoundActions
  onDone: () => void
}

/** The form for the expiry or the owner of many links, loaded when it is opened. */
export function ChangeFound(props: Props) {
  return (
    <Suspense fallback={<Skeleton height={36} />}>
      <LazyForm {...props} />
    </Suspense>
  )
}

/** `ChangeFound` for chosen links. */
export function ChangeLinks({ ids, ...props }: Omit<Props, 'actions'> & { ids: readonly number[] }) {
  const actions = useFoundActions(ids)
  return <ChangeFound actions={actions} {...props} />
}
