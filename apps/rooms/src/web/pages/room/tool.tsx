import { ActionIcon, VisuallyHidden } from '@mantine/core'
import type { Icon } from '@latchkey/web/icons'
import { useText } from '../../texts/text.ts'

interface Props {
  label: string
  icon: Icon
  /** Beside the icon, and part of the name of the button. */
  count?: number
  /** Whether what the button opens is open. Undefined if it opens nothing beside the conversation. */
  isOpen?: boolean
  onClick: () => void
}

/** Button in the header of a room. */
export function Tool({ label, icon: Drawing, count, isOpen, onClick }: Props) {
  const { number } = useText()
  return (
    <ActionIcon
      className="room-tool"
      variant="subtle"
      color="gray"
      size="lg"
      data-tooltip={label}
      onClick={onClick}
      {...(isOpen !== undefined && { 'aria-expanded': isOpen })}
    >
      <Drawing size={18} stroke={1.8} aria-hidden />
      <VisuallyHidden>{label}</VisuallyHidden>
      {count !== undefined && <span className="figure">{number(count)}</span>}
    </ActionIcon>
  )
}
