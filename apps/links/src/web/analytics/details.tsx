import { Modal, Skeleton } from '@mantine/core'
import { Suspense, lazy } from 'react'
import { useText } from '../texts/text.ts'
import type { DetailsProps } from './types.ts'

const AllRows = lazy(() => import('./all-rows.tsx'))

/** All values of a dimension, with search and as CSV. They are loaded when it is opened. */
export function Details({ isOpen, ...props }: DetailsProps & { isOpen: boolean }) {
  const { t } = useText()
  return (
    <Modal
      opened={isOpen}
      onClose={props.onClose}
      title={t(`dimension.${props.dimension}`)}
      size="lg"
      closeButtonProps={{ 'aria-label': t('shell.close') }}
    >
      <Suspense fallback={<Skeleton height={300} />}>
        <AllRows {...props} />
      </Suspense>
    </Modal>
  )
}
