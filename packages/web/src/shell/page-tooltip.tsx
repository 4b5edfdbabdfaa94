import { useEffect, useLayoutEffect, useRef, useState } from 'react'

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
    document.addEventListener('scroll', hide, true)
    return () => {
      document.removeEventListener('pointerover', onPointerOver)
      document.removeEventListener('click', hide)
      document.removeEventListener('keydown', onKeyDown)
      document.documentElement.removeEventListener('pointerleave', hide)
      document.removeEventListener('scroll', hide, true)
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
  return target?.isConnected && label !== undefined && <Tooltip target={target} label={label} />
}

/** Pixels between an element and its tooltip, and around the tooltip in the window. */
const GAP_PX = 5

/** Above its element, or below where there is no room. It never leaves the window. */
function Tooltip({ target, label }: { target: HTMLElement; label: string }) {
  const tooltip = useRef<HTMLDivElement>(null)
  useLayoutEffect(() => {
    if (!tooltip.current) return
    const { left, top, bottom, width } = target.getBoundingClientRect()
    const own = tooltip.current.getBoundingClientRect()
    const above = top - own.height - GAP_PX
    const rightmost = document.documentElement.clientWidth - own.width - GAP_PX
    tooltip.current.style.left = `${Math.max(GAP_PX, Math.min(left + (width - own.width) / 2, rightmost))}px`
    tooltip.current.style.top = `${above < GAP_PX ? bottom + GAP_PX : above}px`
  }, [target, label])
  return (
    <div ref={tooltip} role="tooltip" className="tooltip">
      {label}
    </div>
  )
}
