import { ActionIcon } from '@mantine/core'
import { IconPaperclip } from '@latchkey/web/icons'
import { useRef } from 'react'
import { useText } from '../../../texts/text.ts'

/** Button that chooses files on this device. */
export function AttachButton({ onChoose }: { onChoose: (files: readonly File[]) => void }) {
  const { t } = useText()
  const input = useRef<HTMLInputElement>(null)
  return (
    <>
      <ActionIcon
        variant="subtle"
        color="gray"
        size={30}
        aria-label={t('room.attach')}
        data-tooltip={t('room.attach')}
        onClick={() => input.current?.click()}
      >
        <IconPaperclip size={17} stroke={1.8} aria-hidden />
      </ActionIcon>
      <input
        ref={input}
        type="file"
        multiple
        hidden
        aria-label={t('room.attach')}
        onChange={({ currentTarget }) => {
          onChoose([...(currentTarget.files ?? [])])
          // A file can be chosen twice in a row.
          currentTarget.value = ''
        }}
      />
    </>
  )
}
