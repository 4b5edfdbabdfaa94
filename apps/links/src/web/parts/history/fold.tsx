import { type ReactNode, useState } from 'react'

interface Props {
  /** Names everything that the fold holds. */
  summary: ReactNode
  children: () => ReactNode
}

/** Content that is built once it is opened. */
export function Fold({ summary, children }: Props) {
  const [isOpen, setOpen] = useState(false)
  return (
    <details className="fold" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>{summary}</summary>
      {isOpen && children()}
    </details>
  )
}
