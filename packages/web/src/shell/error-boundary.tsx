import { Button } from '@mantine/core'
import { Component, type ReactNode } from 'react'
import { Notice } from '../parts/notice.tsx'
import { useTexts } from '../texts.ts'

/** Catches what a page throws while it renders (React knows only classes here); the navigation stays. */
export class ErrorBoundary extends Component<{ children: ReactNode }, { failed: boolean }> {
  override state = { failed: false }

  static getDerivedStateFromError() {
    return { failed: true }
  }

  override render() {
    if (!this.state.failed) return this.props.children
    // A script that could not be loaded, as of before an update, is asked for again only by a new page.
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
