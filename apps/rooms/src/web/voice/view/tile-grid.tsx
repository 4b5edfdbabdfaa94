import { type ReactNode, type RefObject, useLayoutEffect, useRef, useState } from 'react'
import { type Area, GAP, bestGrid, gridInColumns } from './best-grid.ts'

/** Tiles that fill their area. `children` are list items, `count` is their number. `columns` replaces the best number of columns. */
export function TileGrid({
  className,
  count,
  columns: fixedColumns,
  children,
}: {
  className: string
  count: number
  columns?: number | undefined
  children: ReactNode
}) {
  const [element, area] = useArea()
  const { columns, width, height } =
    fixedColumns === undefined ? bestGrid(count, area) : gridInColumns(count, fixedColumns, area)
  const style = {
    '--tile-width': `${width}px`,
    '--tile-height': `${height}px`,
    width: columns * (width + GAP) - GAP,
  }
  return (
    <div className="call-area" ref={element}>
      <ul className={`call-grid ${className}`} style={style}>
        {children}
      </ul>
    </div>
  )
}

/** Size of an element, now and after each change. */
export function useArea(): readonly [RefObject<HTMLDivElement | null>, Area] {
  const ref = useRef<HTMLDivElement>(null)
  const [area, setArea] = useState<Area>({ width: 0, height: 0 })
  useLayoutEffect(() => {
    const element = ref.current
    if (!element) return undefined
    const measure = () => {
      // Rounded, tiles could be a part of a pixel too wide for their row.
      const box = element.getBoundingClientRect()
      const [width, height] = [Math.floor(box.width), Math.floor(box.height)]
      setArea((before) => (before.width === width && before.height === height ? before : { width, height }))
    }
    measure()
    const observer = new ResizeObserver(measure)
    observer.observe(element)
    return () => observer.disconnect()
  }, [])
  return [ref, area]
}
