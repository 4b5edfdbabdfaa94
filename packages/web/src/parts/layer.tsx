import { Menu, Popover, type PopoverProps } from '@mantine/core'
import {
  type AriaAttributes,
  type ReactNode,
  type RefCallback,
  useEffect,
  useLayoutEffect,
  useState,
} from 'react'

interface LayerProps extends Pick<PopoverProps, 'position' | 'width' | 'withinPortal' | 'portalProps'> {
  /** The button that opens it. */
  button: HTMLElement | null
  isOpen: boolean
  onChange: (isOpen: boolean) => void
  children: ReactNode
}

/**
 * A popover of a button that is in the page already. Thus the button needs no script of popovers: a
 * part of the page that is loaded later has this one (`lazyPart`).
 */
export function ButtonPopover({
  button,
  isOpen,
  onChange,
  label,
  className,
  padding,
  children,
  ...props
}: LayerProps & { label: string; className?: string; padding?: number }) {
  return (
    <Popover {...props} opened={useOpened(isOpen)} onChange={onChange} shadow="md" trapFocus returnFocus>
      <Popover.Target>
        <PresentButton element={button} />
      </Popover.Target>
      <Popover.Dropdown
        aria-label={label}
        maw="calc(100vw - 16px)"
        {...(className !== undefined && { className })}
        {...(padding !== undefined && { p: padding })}
      >
        {children}
      </Popover.Dropdown>
    </Popover>
  )
}

/** A menu of a button that is in the page already, like `ButtonPopover`. */
export function ButtonMenu({ button, isOpen, onChange, children, ...props }: LayerProps) {
  return (
    <Menu {...props} opened={useOpened(isOpen)} onChange={onChange}>
      <Menu.Target>
        <PresentButton element={button} />
      </Menu.Target>
      <Menu.Dropdown>{children}</Menu.Dropdown>
    </Menu>
  )
}

/** Opens after the first rendering: what is open from the start returns no focus. */
function useOpened(isOpen: boolean): boolean {
  const [isRendered, setRendered] = useState(false)
  useEffect(() => setRendered(true), [])
  return isOpen && isRendered
}

interface PresentButtonProps extends AriaAttributes {
  element: HTMLElement | null
  id?: string
  ref?: RefCallback<HTMLElement>
}

/** Passes what Mantine gives the target of a layer to an element. */
function PresentButton({ element, ref, ...props }: PresentButtonProps) {
  useLayoutEffect(() => {
    ref?.(element)
  }, [element, ref])
  useLayoutEffect(() => {
    for (const name of ['id', 'aria-haspopup', 'aria-expanded', 'aria-controls'] as const) {
      const value = props[name]
      if (value === undefined) element?.removeAttribute(name)
      else element?.setAttribute(name, String(value))
    }
  })
  return null
}
