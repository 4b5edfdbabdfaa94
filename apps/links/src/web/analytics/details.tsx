import { Modal, Skeleton } from '@mantine/core'
import { Suspense, lazy } from 'react'
import type { ExplorerDimension } from '../../analytics/explorer/dimensions.ts'
import { useText } from '../texts/text.ts'
import type { PanelProps } from './panels.tsx'

const AllRows = lazy(() => import('./all-rows.tsx'))

export interface DetailsProps extends PanelProps {
  dimension: ExplorerDimension
  onClose: () => void
}

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
