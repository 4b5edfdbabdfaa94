import { type ComponentProps, useState } from 'react'

/**
 * The element of all Mantine buttons (theme.ts). A disabled button would lose the focus. While a
 * button has the focus, such as one that waits for its own action, it is only marked as disabled
 * and ignores clicks.
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
