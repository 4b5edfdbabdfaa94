import { Button, Modal, Skeleton } from '@mantine/core'
import { IconShare } from '@latchkey/web/icons'
import { Suspense, lazy, useState } from 'react'
import { useText } from '../texts/text.ts'
import type { ShareProps } from './share-dialog.tsx'

const ShareDialog = lazy(() => import('./share-dialog.tsx'))

/** Opens the dialog that shares the statistics of a link or bundle. For the owner. */
export function ShareButton(props: ShareProps) {
  const { t } = useText()
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <Button
        variant="default"
        leftSection={<IconShare size={17} aria-hidden />}
        onClick={() => setOpen(true)}
      >
        {t('share.share')}
      </Button>
      <Modal
        opened={isOpen}
        onClose={() => setOpen(false)}
        title={t('share.title')}
        closeButtonProps={{ 'aria-label': t('shell.close') }}
      >
        <Suspense fallback={<Skeleton height={120} />}>
          <ShareDialog {...props} />
        </Suspense>
      </Modal>
    </>
  )
}
