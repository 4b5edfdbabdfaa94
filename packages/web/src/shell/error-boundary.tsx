import { Button } from '@mantine/core'
import { Component, type ReactNode } from 'react'
import { isUnanswered } from '../call.ts'
import { Notice } from '../parts/notice.tsx'
import { useTexts } from '../texts.ts'

/** Milliseconds between tries to reach the service, once the browser is online again. */
const RETRY_MS = 1_000

/** Loads the page again as soon as the service answers. Before, the browser would show its own error. */
async function reloadWhenAnswered(): Promise<void> {
  const isReached = await fetch(location.href).then(
    ({ ok }) => ok,
    () => false,
  )
  if (isReached) location.reload()
  else if (navigator.onLine) setTimeout(() => void reloadWhenAnswered(), RETRY_MS)
}

/**
 * Catches errors of a page while it renders; the navigation stays. React supports only classes
 * here.
 */
export class ErrorBoundary extends Component<{ children: ReactNode }, { failed: boolean }> {
  override state = { failed: false }
  private readonly stopWaiting = new AbortController()

  static getDerivedStateFromError() {
    return { failed: true }
  }

  override componentDidCatch() {
    // Offline, a script that was not needed before is missing.
    if (navigator.onLine) return
    addEventListener('online', () => void reloadWhenAnswered(), { signal: this.stopWaiting.signal })
  }

  override componentWillUnmount() {
    this.stopWaiting.abort()
  }

  override render() {
    if (!this.state.failed) return this.props.children
    // After an update, a script of the old version may be missing. Only a new page requests it
    // again.
    return navigator.onLine ? <ErrorNotice onRetry={() => location.reload()} /> : <WaitingNotice />
  }
}

function WaitingNotice({ action }: { action?: ReactNode }) {
  const { t } = useTexts()
  return <Notice role="status" title={t('page.waiting')} help={t('page.waitingHelp')} action={action} />
}

/** A failed query. Without an answer, it is repeated when the connection is back (queries.ts). */
export function ErrorNotice({ error, onRetry }: { error?: unknown; onRetry: () => void }) {
  const { t, failure } = useTexts()
  const retry = <Button onClick={onRetry}>{t('page.retry')}</Button>
  if (isUnanswered(error)) return <WaitingNotice action={retry} />
  const help = error === undefined ? {} : { help: failure(error) }
  return <Notice role="alert" title={t('page.error')} {...help} action={retry} />
}
