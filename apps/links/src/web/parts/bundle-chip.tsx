import type { CSSProperties, ReactNode } from 'react'
import { Link } from 'wouter'
import type { Accent } from '../../bundles/accent.ts'
import { accentColor } from '../pages/bundles/accent.tsx'

interface Look {
  icon: string | null
  accent: string
}

/** Icon of a bundle in a line of text: its emoji, or a dot in its colour. */
export function BundleDot({ icon, accent }: Look) {
  return (
    <span
      className="bundle-dot"
      style={{ '--accent-color': accentColor(accent as Accent) } as CSSProperties}
      aria-hidden
    >
      {EMOJI.test(icon ?? '') && icon}
    </span>
  )
}

/** An icon may also be letters, which are not drawn in a line of text. */
const EMOJI = /^\p{Extended_Pictographic}/u

interface Props {
  bundle: Look & { id: number; name: string }
  /** A button that removes the link from the bundle. */
  children?: ReactNode
}

/** Name of a bundle that leads to its page. */
export function BundleChip({ bundle, children }: Props) {
  return (
    <span className="bundle-chip">
      <Link href={`/bundles/${bundle.id}`} title={bundle.name}>
        <BundleDot {...bundle} />
        <bdi>{bundle.name}</bdi>
      </Link>
      {children}
    </span>
  )
}
