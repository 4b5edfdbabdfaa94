import { type ReactNode, Suspense, useRef } from 'react'
import { ErrorBoundary } from './error-boundary.tsx'

/** Renders and loads its content when it is first used, and keeps it from then on. */
export function OnUse({ isUsed, children }: { isUsed: boolean; children: ReactNode }) {
  const wasUsed = useRef(false)
  wasUsed.current ||= isUsed
  return (
    wasUsed.current && (
      <ErrorBoundary>
        <Suspense>{children}</Suspense>
      </ErrorBoundary>
    )
  )
}
