import { ActionIcon, Popover, Stack } from '@mantine/core'
import type { Icon } from '@latchkey/web/icons'
import type { ComponentProps, ReactNode } from 'react'
import { type Shortcut, ariaKeys, shortcutText } from './shortcuts.ts'

interface ControlProps extends ComponentProps<typeof ActionIcon<'button'>> {
  label: string
  icon: Icon
  /** Whether it is on. Undefined for buttons that are pressed once. */
  isOn?: boolean
  shortcut?: Shortcut
}

/** Round button of a call. */
export function Control({ label, icon: Drawing, isOn, shortcut, className = '', ...props }: ControlProps) {
  return (
    <ActionIcon
      className={`call-control ${className}`}
      size={44}
      radius="xl"
      variant={isOn ? 'filled' : 'default'}
      aria-label={label}
      data-tooltip={shortcut ? `${label} (${shortcutText(shortcut)})` : label}
      {...(isOn !== undefined && { 'aria-pressed': isOn })}
      {...(shortcut && { 'aria-keyshortcuts': ariaKeys(shortcut) })}
      {...props}
    >
      <Drawing size={20} stroke={1.8} aria-hidden />
    </ActionIcon>
  )
}

interface CallPopoverProps {
  label: string
  icon: Icon
  isOpen: boolean
  onOpen: (isOpen: boolean) => void
  /** Instead of opening, when it is on. */
  off?: { label: string; icon: Icon; onPress: () => void } | undefined
  children: ReactNode
}

/** Control that opens something above it. */
export function CallPopover({ label, icon, isOpen, onOpen, off, children }: CallPopoverProps) {
  return (
    <Popover
      opened={isOpen}
      onChange={onOpen}
      position="top"
      // Rather over the buttons than beyond the window.
      middlewares={{ flip: true, shift: { padding: 8, crossAxis: true } }}
      trapFocus
      returnFocus
      shadow="md"
      portalProps={{ target: '#content' }}
    >
      <Popover.Target>
        <Control
          label={off?.label ?? label}
          icon={off?.icon ?? icon}
          {...(off && { isOn: true })}
          onClick={() => (off ? off.onPress() : onOpen(!isOpen))}
        />
      </Popover.Target>
      <Popover.Dropdown aria-label={label} maw="calc(100vw - 16px)" className="room-popover call-popover">
        <Stack gap="sm">{isOpen && children}</Stack>
      </Popover.Dropdown>
    </Popover>
  )
}
