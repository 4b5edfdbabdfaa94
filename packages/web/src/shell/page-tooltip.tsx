import { Tooltip } from '@mantine/core'
import { useEffect, useState } from 'react'

/** Milliseconds for which the pointer rests on an element before its tooltip appears. */
const DELAY_MS = 300

/** Layers over the page. A tooltip beside them would cover a part of them. */
const OPEN = '.mantine-Popover-dropdown, .mantine-Menu-dropdown, [role=listbox]'

/** Whether something is open that the element is not a part of. */
const isBehind = (element: Element) => {
  const open = [...document.querySelectorAll(OPEN)].filter((part) => part.checkVisibility())
  return open.length > 0 && open.every((part) => !part.contains(element))
}

/**
 * The tooltip of the element under the pointer, whose text is its `data-tooltip`. One for the whole
 * page: a list with a tooltip for each button takes longer to render than its rows.
 */
export function PageTooltip() {
  const [target, setTarget] = useState<HTMLElement>()
  const [label, setLabel] = useState<string>()
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined
    const hide = () => {
      clearTimeout(timer)
      setTarget(undefined)
    }
    const onPointerOver = (event: PointerEvent) => {
      const element = (event.target as Element).closest<HTMLElement>('[data-tooltip]')
      hide()
      if (element && event.pointerType !== 'touch') {
        timer = setTimeout(() => {
          if (!isBehind(element)) setTarget(element)
        }, DELAY_MS)
      }
    }
    const onKeyDown = ({ key }: KeyboardEvent) => {
      if (key === 'Escape') hide()
    }
    document.addEventListener('pointerover', onPointerOver)
    // What the press opens is not covered.
    document.addEventListener('click', hide)
    document.addEventListener('keydown', onKeyDown)
    document.documentElement.addEventListener('pointerleave', hide)
    return () => {
      document.removeEventListener('pointerover', onPointerOver)
      document.removeEventListener('click', hide)
      document.removeEventListener('keydown', onKeyDown)
      document.documentElement.removeEventListener('pointerleave', hide)
      clearTimeout(timer)
    }
  }, [])
  useEffect(() => {
    if (!target) return undefined
    const read = () => setLabel(target.dataset['tooltip'])
    read()
    // A text such as "Copied" replaces the first one.
    const observer = new MutationObserver(read)
    observer.observe(target, { attributeFilter: ['data-tooltip'] })
    return () => observer.disconnect()
  }, [target])
  return target?.isConnected && label !== undefined && <Tooltip target={target} label={label} opened />
}
