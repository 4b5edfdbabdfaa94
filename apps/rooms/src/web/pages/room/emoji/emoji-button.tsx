import { ActionIcon, Popover } from '@mantine/core'
import { IconMoodPlus } from '@latchkey/web/icons'
import { RowSkeletons } from '@latchkey/web/parts/skeletons'
import { Suspense, lazy, useState } from 'react'

// Loaded on first use.
const EmojiPicker = lazy(() => import('./emoji-picker.tsx'))

interface Props {
  label: string
  tabIndex?: 0 | -1
  size?: number
  onOpen?: (isOpen: boolean) => void
  onChoose: (emoji: string) => void
}

/** Button that opens the emoji. */
export function EmojiButton({ label, tabIndex, size = 32, onOpen, onChoose }: Props) {
  const [isOpen, setOpen] = useState(false)
  const change = (next: boolean) => {
    setOpen(next)
    onOpen?.(next)
  }
  return (
    <Popover
      opened={isOpen}
      onChange={change}
      width={320}
      position="top-end"
      trapFocus
      returnFocus
      shadow="md"
      portalProps={{ target: '#content' }}
    >
      <Popover.Target>
        <ActionIcon
          variant="subtle"
          color="gray"
          size={size}
          aria-label={label}
          data-tooltip={label}
          {...(tabIndex !== undefined && { tabIndex })}
          onClick={() => change(!isOpen)}
        >
          <IconMoodPlus size={17} stroke={1.8} aria-hidden />
        </ActionIcon>
      </Popover.Target>
      <Popover.Dropdown p={8} aria-label={label} className="room-popover">
        <Suspense fallback={<RowSkeletons rows={4} />}>
          <EmojiPicker
            onChoose={(emoji) => {
              change(false)
              onChoose(emoji)
            }}
          />
        </Suspense>
      </Popover.Dropdown>
    </Popover>
  )
}
