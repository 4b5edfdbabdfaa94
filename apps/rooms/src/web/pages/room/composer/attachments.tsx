import { Anchor, CloseButton, UnstyledButton } from '@mantine/core'
import { CallError } from '@latchkey/web/call'
import { IconFile, IconRefresh } from '@latchkey/web/icons'
import { live } from '../../../live/live.ts'
import type { RoomStore } from '../../../live/room-store.ts'
import type { Upload } from '../../../live/uploads.ts'
import { useUser } from '../../../session.ts'
import { useText } from '../../../texts/text.ts'

interface Props {
  uploads: readonly Upload[]
  store: RoomStore
  /** The focus goes back to the field when its button disappears. */
  onRemoved: () => void
}

/** The files for the next message, above the field. */
export function Attachments({ uploads, store, onRemoved }: Props) {
  const { t } = useText()
  if (uploads.length === 0) return null
  return (
    <ul className="attachments" aria-label={t('room.files')}>
      {uploads.map((upload) => (
        <Attachment
          key={upload.id}
          upload={upload}
          onRetry={(options) => store.uploads.retry(upload.id, options)}
          onRemove={() => {
            store.uploads.remove(upload.id)
            onRemoved()
          }}
        />
      ))}
    </ul>
  )
}

interface AttachmentProps {
  upload: Upload
  onRetry: (options?: { asFile: boolean }) => void
  onRemove: () => void
}

function Attachment({ upload, onRetry, onRemove }: AttachmentProps) {
  const { t } = useText()
  const { name, progress, file, error } = upload
  const mayRetry = error instanceof CallError && (error.status === 0 || error.status >= 429)
  return (
    <li className="attachment" data-failed={error !== undefined || undefined}>
      {file?.thumbnail ? (
        <img src={file.thumbnail} alt="" width={40} height={40} />
      ) : (
        <IconFile size={20} stroke={1.6} aria-hidden />
      )}
      <span className="attachment-text">
        <bdi className="attachment-name">{name}</bdi>
        <AttachmentState upload={upload} onRetry={onRetry} />
        {!file && error === undefined && (
          <progress aria-label={t('room.uploading', { name })} value={progress} max={1} />
        )}
      </span>
      {mayRetry && (
        <UnstyledButton
          className="attachment-retry"
          onClick={() => onRetry()}
          aria-label={t('room.retryFile', { name })}
        >
          <IconRefresh size={16} aria-hidden />
        </UnstyledButton>
      )}
      <CloseButton size="sm" onClick={onRemove} aria-label={t('room.removeFile', { name })} />
    </li>
  )
}

/** Members may send as a file what Rooms cannot show as an image. Guests send images only. */
const IMAGE_REFUSALS: ReadonlySet<string> = new Set(['image_too_large', 'file_type_refused'])

function AttachmentState({
  upload: { bytes, file, error },
  onRetry,
}: Pick<AttachmentProps, 'upload' | 'onRetry'>) {
  const { t, fileSize, failure } = useText()
  const isGuest = useUser().identityType === 'guest'
  if (error === undefined) return <small>{fileSize(file?.bytes ?? bytes)}</small>
  const isTooLarge = error instanceof CallError && error.code === 'file_too_large'
  const mayBeSentAsFile = !isGuest && error instanceof CallError && IMAGE_REFUSALS.has(error.code ?? '')
  return (
    <small role="alert">
      {isTooLarge ? t('room.fileTooLarge', { limit: fileSize(live.fileBytes) }) : failure(error)}
      {mayBeSentAsFile && (
        <>
          {' '}
          <Anchor component="button" type="button" inherit onClick={() => onRetry({ asFile: true })}>
            {t('room.sendAsFile')}
          </Anchor>{' '}
          {t('room.sendAsFileHint')}
        </>
      )}
    </small>
  )
}
