import type { CSSProperties } from 'react'

/** The mark of the product, an SVG element. The build inserts it (build.ts). */
declare const MARK: string

interface Props {
  /** Pixels. */
  size: number
  className?: string
}

/** The mark of the product. A part of the script, so that it needs no connection. */
export function BrandMark({ size, className = '' }: Props) {
  return (
    <span
      className={`brand-mark ${className}`}
      style={{ '--mark-size': `${size}px` } as CSSProperties}
      aria-hidden
      dangerouslySetInnerHTML={{ __html: MARK }}
    />
  )
}
