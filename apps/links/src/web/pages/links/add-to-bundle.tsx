import { Skeleton } from '@mantine/core'
import { type ComponentProps, Suspense, lazy } from 'react'
import type { AddToBundle as Form } from '../bundles/add-to-bundle.tsx'

const LazyForm = lazy(async () => ({ default: (await import('../bundles/add-to-bundle.tsx')).AddToBundle }))

/** The form to add links to a bundle, whose list with a search is loaded when it is opened. */
export function AddToBundle(props: ComponentProps<typeof Form>) {
  return (
    <Suspense fallback={<Skeleton height={36} />}>
      <LazyForm {...props} />
    </Suspense>
  )
}
