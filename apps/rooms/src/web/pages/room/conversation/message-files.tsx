import { UnstyledButton, VisuallyHidden } from '@mantine/core'
import { IconDownload, IconFile } from '@latchkey/web/icons'
import { Suspense, lazy, memo, useState } from 'react'
import type { RoomFile } from '../../../../files/schema.ts'
import { useText } from '../../../texts/text.ts'

// Loaded on first use.
const ImageViewer = lazy(() => import('./image-viewer.tsx'))

interface Props {
  files: readonly RoomFile[]
  tabIndex: 0 | -1
}

/** The files of a message. Their places have their final size before they arrive. */
export const MessageFiles = memo(function MessageFiles({ files, tabIndex }: Props) {
  const { t } = useText()
  const [openedId, setOpenedId] = useState<string | null>(null)
  const images = files.filter(({ thumbnail }) => thumbnail !== null)
  const others = files.filter(({ thumbnail }) => thumbnail === null)
  return (
    <div className="files">
      {images.length > 0 && (
        <div className="file-images" data-single={images.length === 1 || undefined}>
          {images.map((image) => (
            <UnstyledButton
              key={image.id}
              className="file-image"
              style={images.length === 1 ? placeOf(image) : undefined}
              tabIndex={tabIndex}
              aria-label={t('room.openImage', { name: image.name })}
              aria-haspopup="dialog"
              onClick={() => setOpenedId(image.id)}
            >
              <img src={image.thumbnail ?? ''} alt="" loading="lazy" decoding="async" />
              {image.type === 'image/gif' && <span className="file-badge">GIF</span>}
            </UnstyledButton>
          ))}
        </div>
      )}
      {others.map((file) => (
        <OtherFile key={file.id} file={file} tabIndex={tabIndex} />
      ))}
      {openedId !== null && (
        <Suspense>
          <ImageViewer
            images={images}
            openedId={openedId}
            onShow={setOpenedId}
            onClose={() => setOpenedId(null)}
          />
        </Suspense>
      )}
    </div>
  )
})

/** Largest size of a single image, in pixels. */
const [MAX_WIDTH, MAX_HEIGHT] = [400, 300]
/** Smallest side: an image may be a line. */
const MIN_SIDE = 40

function placeOf({ width, height }: RoomFile) {
  const [w, h] = [width ?? MAX_WIDTH, height ?? MAX_HEIGHT]
  const scale = Math.min(1, MAX_WIDTH / w, MAX_HEIGHT / h)
  const [wide, high] = [w, h].map((side) => Math.max(MIN_SIDE, Math.round(side * scale)))
  return { width: wide, aspectRatio: `${wide} / ${high}` }
}

function OtherFile({ file, tabIndex }: { file: RoomFile; tabIndex: 0 | -1 }) {
  const { t, fileSize } = useText()
  const { name, type, url, bytes } = file
  return (
    <div className="file">
      {type.startsWith('video/') && (
        <video
          className="file-video"
          src={url}
          controls
          preload="metadata"
          aria-label={name}
          tabIndex={tabIndex}
        />
      )}
      {type.startsWith('audio/') && (
        <audio
          className="file-audio"
          src={url}
          controls
          preload="none"
          aria-label={name}
          tabIndex={tabIndex}
        />
      )}
      <a className="file-card" href={url} download={name} tabIndex={tabIndex}>
        <VisuallyHidden>{t('room.download')}</VisuallyHidden>
        <IconFile size={22} stroke={1.5} aria-hidden />
        <span className="file-text">
          <bdi className="file-name">{name}</bdi>
          <small>{fileSize(bytes)}</small>
        </span>
        <IconDownload size={16} stroke={1.8} aria-hidden />
      </a>
    </div>
  )
}
