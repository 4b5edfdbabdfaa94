import { Modal, Skeleton } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import { Suspense } from 'react'
import { lazyPart } from '../parts/lazy-part.ts'
import { primarySlug } from '../parts/short-url.ts'
import { qrTexts } from '../texts/qr.ts'
import { useText } from '../texts/text.ts'
import { CreateForm } from './create-form.tsx'
import { EditForm } from './edit-form.tsx'
import { type LinkDialogState, closeLinkDialog, useLinkDialog } from './state.ts'

const QrStudio = lazyPart(qrTexts, () => import('../pages/link/qr/studio.tsx'))

const TITLES = { create: 'create.title', edit: 'create.editTitle', qr: 'link.qr' } as const

const SIZES = { create: 760, edit: 'lg', qr: 820 } as const

/** The dialogs about links that any page can open, which fill the screen of a phone. */
export default function LinkDialog() {
  const { t } = useText()
  const dialog = useLinkDialog()
  const isPhone = useMediaQuery('(max-width: 47.99em)', false, { getInitialValueInEffect: false })
  return (
    <Modal
      opened={dialog !== null}
      onClose={closeLinkDialog}
      title={dialog && t(TITLES[dialog.about])}
      size={SIZES[dialog?.about ?? 'edit']}
      fullScreen={isPhone}
      closeButtonProps={{ 'aria-label': t('shell.close') }}
    >
      {dialog && <Content dialog={dialog} />}
    </Modal>
  )
}

function Content({ dialog }: { dialog: LinkDialogState }) {
  if (dialog.about === 'create') return <CreateForm initial={dialog.initial} close={closeLinkDialog} />
  if (dialog.about === 'edit') return <EditForm link={dialog.link} close={closeLinkDialog} />
  return (
    <Suspense fallback={<Skeleton height={320} />}>
      <QrStudio link={dialog.link} first={primarySlug(dialog.link)} />
    </Suspense>
  )
}
