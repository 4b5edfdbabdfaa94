import { ActionIcon, VisuallyHidden } from '@mantine/core'
import type { Icon } from '@latchkey/web/icons'
import type { ComponentProps } from 'react'
import { useText } from '../../texts/text.ts'

interface Props extends Omit<ComponentProps<typeof ActionIcon<'button'>>, 'children'> {
  label: string
  icon: Icon
  /** Beside the icon, and part of the name of the button. */
  count?: number
  /** Whether what the button opens is open. Undefined if it opens nothing beside the conversation. */
  isOpen?: boolean
}

/** Button in the header of a room. */
export function Tool({ label, icon: Drawing, count, isOpen, ...props }: Props) {
  const { number } = useText()
  return (
    <ActionIcon
      className="room-tool"
      variant="subtle"
      color="gray"
      size="lg"
      data-tooltip={label}
      {...(isOpen !== undefined && { 'aria-expanded': isOpen })}
      {...props}
    >
      <Drawing size={18} stroke={1.8} aria-hidden />
      <VisuallyHidden className="room-tool-label">{label}</VisuallyHidden>
      {count !== undefined && <span className="figure">{number(count)}</span>}
    </ActionIcon>
  )
}
