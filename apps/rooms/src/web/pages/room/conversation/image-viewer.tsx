import { ActionIcon, CloseButton, Modal } from '@mantine/core'
import { IconChevronLeft, IconChevronRight, IconDownload, IconExternalLink } from '@latchkey/web/icons'
import type { KeyboardEvent } from 'react'
import type { RoomFile } from '../../../../files/schema.ts'
import { useText } from '../../../texts/text.ts'

interface Props {
  images: readonly RoomFile[]
  openedId: string
  onShow: (id: string) => void
  onClose: () => void
}

/** The images of a message in their full size, one at a time. */
export default function ImageViewer({ images, openedId, onShow, onClose }: Props) {
  const { t } = useText()
  const at = images.findIndex(({ id }) => id === openedId)
  const image = images[at]
  if (!image) return null
  const { name, url, width, height } = image
  const show = (index: number) => {
    const next = images[index]
    if (next) onShow(next.id)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    // The keys of the list of messages have no meaning here.
    event.stopPropagation()
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key]
    if (step === undefined) return
    event.preventDefault()
    show(at + step)
  }
  return (
    <Modal.Root opened onClose={onClose} fullScreen padding={0} transitionProps={{ duration: 0 }}>
      <Modal.Overlay />
      <Modal.Content aria-label={name} className="viewer">
        <Modal.Body className="viewer-body" onKeyDown={onKeyDown}>
          <div className="viewer-bar">
            <bdi className="viewer-name">{name}</bdi>
            {images.length > 1 && (
              <span className="viewer-count" role="status">
                {t('room.imageOf', { at: at + 1, count: images.length })}
              </span>
            )}
            <Links image={image} />
            <CloseButton size={36} onClick={onClose} aria-label={t('shell.close')} data-autofocus />
          </div>
          <div className="viewer-stage">
            <img key={url} src={url} alt={name} width={width ?? undefined} height={height ?? undefined} />
          </div>
          {images.length > 1 && <Steps at={at} count={images.length} onShow={show} />}
        </Modal.Body>
      </Modal.Content>
    </Modal.Root>
  )
}

function Links({ image: { url, name } }: { image: RoomFile }) {
  const { t } = useText()
  const links = [
    { label: t('room.openOriginal'), icon: IconExternalLink, target: '_blank' },
    { label: t('room.download'), icon: IconDownload, download: name },
  ]
  return links.map(({ label, icon: Icon, ...props }) => (
    <ActionIcon
      key={label}
      component="a"
      href={url}
      rel="noopener"
      variant="subtle"
      color="gray"
      size={36}
      aria-label={label}
      data-tooltip={label}
      {...props}
    >
      <Icon size={18} stroke={1.8} aria-hidden />
    </ActionIcon>
  ))
}

interface StepsProps {
  at: number
  count: number
  onShow: (index: number) => void
}

function Steps({ at, count, onShow }: StepsProps) {
  const { t } = useText()
  const steps = [
    { to: at - 1, label: t('room.previousImage'), icon: IconChevronLeft, className: 'viewer-previous' },
    { to: at + 1, label: t('room.nextImage'), icon: IconChevronRight, className: 'viewer-next' },
  ]
  return steps.map(({ to, label, icon: Icon, className }) => (
    <ActionIcon
      key={className}
      className={className}
      variant="default"
      size={44}
      disabled={to < 0 || to >= count}
      onClick={() => onShow(to)}
      aria-label={label}
    >
      <Icon size={22} aria-hidden />
    </ActionIcon>
  ))
}
