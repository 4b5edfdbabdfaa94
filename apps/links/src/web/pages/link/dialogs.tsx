import { Modal } from '@mantine/core'
import { type RefObject, useEffect, useRef } from 'react'
import { useText } from '../../texts/text.ts'
import { AddSlug } from './add-slug.tsx'
import { AddToBundle } from '../bundles/add-to-bundle.tsx'
import { Blocked } from './blocked.tsx'
import type { Link } from './link.ts'
import { QrCode } from './qr-code.tsx'
import type { Doomed, Removal } from './removal.tsx'
import type { useWork } from './work.ts'

/** What a dialog is open about. */
export type Asked =
  | { about: 'slug' }
  | { about: 'bundle' }
  | { about: 'qr'; slug: string }
  | { about: 'blocked'; doomed: Doomed }

interface Props {
  link: Link
  asked: Asked | null
  close: () => void
  /** What opened it and gets the focus back: a menu's entry is gone by then. */
  opener: RefObject<HTMLElement | null>
  removal: Removal
  work: ReturnType<typeof useWork>
}

export function Dialogs({ asked, opener, ...props }: Props) {
  const { t } = useText()
  const wasOpen = useRef(false)
  useEffect(() => {
    if (wasOpen.current && !asked) opener.current?.focus()
    wasOpen.current = asked !== null
  }, [asked, opener])
  return (
    <Modal
      opened={asked !== null}
      onClose={props.close}
      title={asked && <Heading asked={asked} />}
      size={asked?.about === 'qr' ? 'lg' : 'md'}
      returnFocus={false}
      transitionProps={{ duration: 0 }}
      closeButtonProps={{ 'aria-label': t('shell.close') }}
      styles={{ title: { fontWeight: 650, overflowWrap: 'anywhere' } }}
    >
      {asked && <Content asked={asked} {...props} />}
    </Modal>
  )
}

function Heading({ asked }: { asked: Asked }) {
  const { t } = useText()
  if (asked.about === 'slug') return t('link.addSlug')
  if (asked.about === 'bundle') return t('bundles.addLink')
  if (asked.about === 'qr') return t('link.qr')
  return asked.doomed === 'link'
    ? t('link.blockedDelete')
    : t('link.blockedRemove', { slug: asked.doomed.slug })
}

function Content({ asked, link, close, ...deeds }: Omit<Props, 'asked' | 'opener'> & { asked: Asked }) {
  if (asked.about === 'slug') return <AddSlug link={link} close={close} />
  if (asked.about === 'bundle') return <AddToBundle ids={[link.id]} onDone={close} />
  if (asked.about === 'qr') return <QrCode link={link} first={asked.slug} />
  return <Blocked link={link} doomed={asked.doomed} close={close} {...deeds} />
}
