import { Button } from '@mantine/core'
import { Fragment, Suspense } from 'react'
import { Link, useLocation } from 'wouter'
import type { DetailPage, Page } from '../pages.ts'
import { Notice } from '../parts/notice.tsx'
import { RowSkeletons } from '../parts/skeletons.tsx'
import { useTexts } from '../texts.ts'
import { ErrorBoundary } from './error-boundary.tsx'
import { PageHeading } from './heading.tsx'

interface Props {
  pages: readonly Page[]
  details: readonly DetailPage[]
  /** Destination offered at an unknown address, and the key of its label. */
  home: { path: string; words: string }
}

/**
 * The page at the current address with its heading, including the states of loading, error and not
 * found.
 */
export function CurrentPage({ pages, details, home }: Props) {
  const { t } = useTexts<string>()
  const [path] = useLocation()
  const detail = details.find(({ pattern }) => pattern.test(path))
  const page = pages.find((candidate) => candidate.path === path)
  return (
    <Fragment key={path}>
      {!detail && !page?.hasOwnHeading && <PageHeading title={t(page?.title ?? 'page.notFound')} mb="lg" />}
      <ErrorBoundary>
        <Suspense fallback={<RowSkeletons />}>
          {detail?.show(detail.pattern.exec(path)?.[1] ?? '')}
          {page && <page.show />}
          {!page && !detail && <NotFound home={home} />}
        </Suspense>
      </ErrorBoundary>
    </Fragment>
  )
}

function NotFound({ home }: Pick<Props, 'home'>) {
  const { t } = useTexts<string>()
  const action = (
    <Button component={Link} href={home.path}>
      {t(home.words)}
    </Button>
  )
  return <Notice help={t('page.notFoundHelp')} action={action} />
}
