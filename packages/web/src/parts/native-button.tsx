import { type ComponentProps, useState } from 'react'

/**
 * The element of all of Mantine's buttons (theme.ts). Disabled, it would drop the focus: one that has it, as when it waits
 * for what it began, only says that it is disabled, and does nothing.
 */
export function NativeButton({
  type = 'button',
  disabled = false,
  onClick,
  onFocus,
  onBlur,
  ...props
}: ComponentProps<'button'>) {
  const [hasFocus, setHasFocus] = useState(false)
  const isHeld = disabled && hasFocus
  return (
    <button
      {...props}
      type={type}
      disabled={disabled && !hasFocus}
      {...(isHeld && { 'aria-disabled': true })}
      onClick={isHeld ? (event) => event.preventDefault() : onClick}
      onFocus={(event) => {
        setHasFocus(true)
        onFocus?.(event)
      }}
      onBlur={(event) => {
        setHasFocus(false)
        onBlur?.(event)
      }}
    />
  )
}
