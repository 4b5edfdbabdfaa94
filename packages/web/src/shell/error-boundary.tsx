import { Button } from '@mantine/core'
import { Component, type ReactNode } from 'react'
import { Notice } from '../parts/notice.tsx'
import { useTexts } from '../texts.ts'

/**
 * Catches errors of a page while it renders; the navigation stays. React supports only classes
 * here.
 */
export class ErrorBoundary extends Component<{ children: ReactNode }, { failed: boolean }> {
  override state = { failed: false }

  static getDerivedStateFromError() {
    return { failed: true }
  }

  override render() {
    if (!this.state.failed) return this.props.children
    // After an update, a script of the old version may be missing. Only a new page requests it
    // again.
    return <ErrorNotice onRetry={() => location.reload()} />
  }
}

export function ErrorNotice({ error, onRetry }: { error?: unknown; onRetry: () => void }) {
  const { t, failure } = useTexts()
  const help = error === undefined ? {} : { help: failure(error) }
  return (
    <Notice
      role="alert"
      title={t('page.error')}
      {...help}
      action={<Button onClick={onRetry}>{t('page.retry')}</Button>}
    />
  )
}
