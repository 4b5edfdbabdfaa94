import { ButtonPopover } from '@latchkey/web/parts/layer'
import { RowSkeletons } from '@latchkey/web/parts/skeletons'
import { type ComponentProps, Suspense, lazy } from 'react'

// Loaded on first use.
const EmojiPicker = lazy(() => import('./emoji-picker.tsx'))

interface Props extends Pick<
  ComponentProps<typeof ButtonPopover>,
  'button' | 'isOpen' | 'onChange' | 'label'
> {
  onChoose: (emoji: string) => void
}

/** The emoji, above the button that opens them. */
export default function EmojiPopover({ onChoose, ...layer }: Props) {
  return (
    <ButtonPopover
      {...layer}
      width={320}
      position="top-end"
      portalProps={{ target: '#content' }}
      padding={8}
      className="room-popover"
    >
      <Suspense fallback={<RowSkeletons rows={4} />}>
        <EmojiPicker
          onChoose={(emoji) => {
            layer.onChange(false)
            onChoose(emoji)
          }}
        />
      </Suspense>
    </ButtonPopover>
  )
}
