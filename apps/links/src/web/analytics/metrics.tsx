import { Anchor, Skeleton, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { Link } from 'wouter'
import type { Result } from '../call.ts'
import { Delta } from '../parts/delta.tsx'
import { Favicon, useFavicons } from '../parts/favicon.tsx'
import { keyName } from '../parts/short-url.ts'
import { useText } from '../texts/text.ts'
import { countDays, formatAverage } from './average.ts'
import type { Subject } from './use-analytics.ts'

type Stats = Result<'getAnalytics'>

interface Props {
  stats: Stats | undefined
  subject: Subject | undefined
}

/** Headline numbers, each with its change against the comparison. */
export function Metrics({ stats, subject }: Props) {
  const { t, number } = useText()
  const { totals, comparison } = stats ?? {}
  return (
    <dl className="metrics">
      <Metric name={t('links.clicks')} value={totals && number(totals.clicks)}>
        {comparison && <Delta value={comparison.clicks_delta} count={totals?.clicks} />}
      </Metric>
      <Visitors stats={stats} />
      {subject?.dimension === 'link' ? <LinkMetrics stats={stats} /> : <SetMetrics stats={stats} />}
    </dl>
  )
}

/** The visitors of imported clicks are unknown. Clicks that the service counted have at least one. */
function Visitors({ stats }: Pick<Props, 'stats'>) {
  const { t, number } = useText()
  const { totals, comparison } = stats ?? {}
  const isUnknown = totals && totals.clicks > 0 && totals.unique_visitors === 0
  return (
    <Metric name={t('analytics.visitors')} value={isUnknown ? '–' : totals && number(totals.unique_visitors)}>
      {isUnknown && <Hint>{t('chart.visitorsUnknown')}</Hint>}
      {comparison && !isUnknown && (
        <Delta value={comparison.unique_visitors_delta} count={totals?.unique_visitors} />
      )}
    </Metric>
  )
}

function SetMetrics({ stats }: Pick<Props, 'stats'>) {
  const { t, number, share } = useText()
  const { totals, comparison } = stats ?? {}
  const top = totals?.top_link
  const iconOf = useFavicons(top ? [top.url] : [])
  return (
    <>
      <Metric name={t('analytics.clickedLinks')} value={totals && number(totals.clicked_links)}>
        {comparison && <Delta value={comparison.clicked_links_delta} count={totals?.clicked_links} />}
      </Metric>
      <Metric
        name={t('analytics.topLink')}
        value={
          top ? (
            <Anchor component={Link} href={`/links/${top.id}`} className="metric-link" title={top.url}>
              <Favicon src={iconOf(top.url)} url={top.url} />
              <bdi>{top.label ?? keyName(top.slug)}</bdi>
            </Anchor>
          ) : (
            stats && '–'
          )
        }
      >
        {top && (
          <Hint>{t('analytics.ofClicks', { share: share(top.clicks / Math.max(1, totals.clicks)) })}</Hint>
        )}
      </Metric>
    </>
  )
}

function LinkMetrics({ stats }: Pick<Props, 'stats'>) {
  const { t, number, language } = useText()
  const average = stats && stats.totals.clicks / countDays(stats.window)
  return (
    <>
      <Metric
        name={t('analytics.average')}
        value={average === undefined ? undefined : formatAverage(average, language)}
      />
      <Metric name={t('dimension.country')} value={stats && countriesOf(stats, number)} />
    </>
  )
}

/** Clicks of a known country have at least one. */
function countriesOf({ totals, breakdowns: { country } }: Stats, number: (value: number) => string): string {
  return totals.clicks > 0 && country.total === 0 ? '–' : number(country.total)
}

function Hint({ children }: { children: ReactNode }) {
  return (
    <Text size="xs" c="dimmed">
      {children}
    </Text>
  )
}

function Metric({ name, value, children }: { name: string; value: ReactNode; children?: ReactNode }) {
  return (
    <div className="metric">
      <Text component="dt" size="sm" c="dimmed">
        {name}
      </Text>
      <dd>
        {value === undefined ? (
          <Skeleton height={22} width={64} my={6} />
        ) : (
          <Text fz={24} fw={600} lh={1.4} className="figure" truncate>
            {value}
          </Text>
        )}
      </dd>
      <dd className="metric-note">{children}</dd>
    </div>
  )
}
