import type { CSSProperties } from 'react'
import { initialsOf, nameColor } from './name-color.ts'

interface Props {
  name: string
  /** Square for a site instead of round for a person. */
  isSquare?: boolean
}

/** Initials of a person or a site in a colour derived from the name, beside the name itself. */
export function Initials({ name, isSquare = false }: Props) {
  return (
    <span
      className="initials"
      data-square={isSquare || undefined}
      data-initials={isSquare ? initialsOf(name).slice(0, 1) : initialsOf(name)}
      style={{ '--name-color': nameColor(name) } as CSSProperties}
      aria-hidden
    />
  )
}
