import { Modal, Skeleton } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import { type RefObject, Suspense, useEffect, useRef } from 'react'
import { lazyPart } from '../../parts/lazy-part.ts'
import { qrTexts } from '../../texts/qr.ts'
import { useText } from '../../texts/text.ts'
import { AddSlug } from './add-slug.tsx'
import { BlockedDeletion } from './blocked.tsx'
import type { Link } from './link.ts'
import type { DeletionTarget, Removal } from './use-removal.tsx'
import type { useLinkActions } from './use-link-actions.ts'

const QrStudio = lazyPart(qrTexts, () => import('./qr/studio.tsx'))

/** Subject of the open dialog. */
export type DialogState =
  | { about: 'slug' }
  | { about: 'qr'; slug: string }
  | { about: 'blocked'; target: DeletionTarget }

interface Props {
  link: Link
  dialog: DialogState | null
  close: () => void
  /** Receives the focus when the dialog closes. A menu item would be unmounted by then. */
  opener: RefObject<HTMLElement | null>
  removal: Removal
  actions: ReturnType<typeof useLinkActions>
}

export function Dialogs({ dialog, opener, ...props }: Props) {
  const { t } = useText()
  const isPhone = useMediaQuery('(max-width: 47.99em)', false, { getInitialValueInEffect: false })
  const wasOpen = useRef(false)
  useEffect(() => {
    if (wasOpen.current && !dialog) opener.current?.focus()
    wasOpen.current = dialog !== null
  }, [dialog, opener])
  return (
    <Modal
      opened={dialog !== null}
      onClose={props.close}
      title={dialog && <Heading dialog={dialog} />}
      size={dialog?.about === 'qr' ? 820 : 'md'}
      fullScreen={isPhone && dialog?.about === 'qr'}
      returnFocus={false}
      transitionProps={{ duration: 0 }}
      closeButtonProps={{ 'aria-label': t('shell.close') }}
      styles={{ title: { fontWeight: 600, overflowWrap: 'anywhere' } }}
    >
      <Suspense fallback={<Skeleton height={320} />}>
        {dialog && <Content dialog={dialog} {...props} />}
      </Suspense>
    </Modal>
  )
}

function Heading({ dialog }: { dialog: DialogState }) {
  const { t } = useText()
  if (dialog.about === 'slug') return t('link.addSlug')
  if (dialog.about === 'qr') return t('link.qr')
  return dialog.target === 'link'
    ? t('link.blockedDelete')
    : t('link.blockedRemove', { slug: dialog.target.slug })
}

function Content({
  dialog,
  link,
  close,
  ...controls
}: Omit<Props, 'dialog' | 'opener'> & { dialog: DialogState }) {
  if (dialog.about === 'slug') return <AddSlug link={link} close={close} />
  if (dialog.about === 'qr') return <QrStudio link={link} first={dialog.slug} />
  return <BlockedDeletion link={link} target={dialog.target} close={close} {...controls} />
}
