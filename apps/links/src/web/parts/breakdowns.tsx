import { Box, Paper, SimpleGrid, Skeleton, Title } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import type { BreakdownName, NameCount, Range } from '../../analytics/schema.ts'
import type { Result } from '../call.ts'
import { countryNames } from './country.ts'
import { Pager } from './pager.tsx'
import { ReadError } from './read-error.tsx'
import { Ranking } from './ranking.tsx'
import { StaleContent } from './stale-content.tsx'
import { useCall } from '../queries.ts'
import type { OwnKey } from '../texts/index.ts'
import { useText } from '../texts/text.ts'

type Stats = Result<'getLinkAnalytics'>

/** Number of entries in each breakdown of the statistics (L14.5). */
const PAGE_SIZE = 10

const VALUE_NAMES: Readonly<Record<string, OwnKey>> = {
  link: 'link.name.link',
  qr: 'link.name.qr',
  email: 'link.name.email',
  social: 'link.name.social',
  campaign: 'link.name.campaign',
  search: 'link.name.search',
  referral: 'link.name.referral',
  direct: 'link.name.direct',
  desktop: 'link.name.desktop',
  mobile: 'link.name.mobile',
  tablet: 'link.name.tablet',
}

const SYSTEMS: Readonly<Record<string, string>> = {
  ios: 'iOS',
  android: 'Android',
  windows: 'Windows',
  chromeos: 'ChromeOS',
  macos: 'macOS',
  linux: 'Linux',
}

/**
 * Display names of the values of a breakdown. Values that visitors' browsers sent are unchanged.
 */
function useValueNames(breakdown: BreakdownName): (name: string) => string {
  const { t, language } = useText()
  if (breakdown === 'countries') return countryNames(language)
  if (breakdown === 'os') return (name) => SYSTEMS[name] ?? t('link.name.other')
  if (breakdown === 'browsers') return (name) => (name === 'Other' ? t('link.name.other') : name)
  if (breakdown !== 'devices' && breakdown !== 'channels' && breakdown !== 'link_modes') return (name) => name
  return (name) => {
    const key = VALUE_NAMES[name]
    return key ? t(key) : name
  }
}

interface BreakdownsProps {
  /** Required, because a misspelt name in a spread object is no type error. */
  subject: 'link' | 'bundle'
  id: number
  /** The requested range. Undefined for the user's default range. */
  range: Range | undefined
  stats: Stats
}

/** Breakdowns by country, referrer, device and UTM parameter. */
export function Breakdowns(props: BreakdownsProps) {
  const { t } = useText()
  return (
    <>
      <SimpleGrid cols={{ base: 1, sm: 2, lg: 3 }} spacing="md">
        <BreakdownCard {...props} breakdown="countries" title={t('link.countries')} />
        <BreakdownCard {...props} breakdown="referrers" title={t('link.referrers')} />
        <BreakdownCard {...props} breakdown="referrer_hosts" title={t('link.hosts')} />
        <BreakdownCard {...props} breakdown="devices" title={t('link.devices')} />
        <BreakdownCard {...props} breakdown="os" title={t('link.os')} />
        <BreakdownCard {...props} breakdown="browsers" title={t('link.browsers')} />
      </SimpleGrid>
      <Utm {...props} />
    </>
  )
}

const UTM = ['utm_sources', 'utm_mediums', 'utm_campaigns'] as const

function Utm(props: BreakdownsProps) {
  const { t } = useText()
  const isEmpty = UTM.every((breakdown) => props.stats[breakdown].length === 0)
  return (
    <Card title={t('link.utm')}>
      {isEmpty ? (
        <Ranking items={[]} total={0} />
      ) : (
        <SimpleGrid cols={{ base: 1, sm: 3 }} spacing="xl">
          {UTM.map((breakdown) => (
            <Box key={breakdown} miw={0}>
              <Title order={3} fz="sm" fw={500} c="dimmed" mb="xs">
                {t(`link.${breakdown}`)}
              </Title>
              <BreakdownList {...props} breakdown={breakdown} title={t(`link.${breakdown}`)} />
            </Box>
          ))}
        </SimpleGrid>
      )}
    </Card>
  )
}

export function Channels({ stats, ...props }: Omit<BreakdownsProps, 'stats'> & { stats: Stats | undefined }) {
  const { t } = useText()
  const title = t('link.channels')
  if (stats) return <BreakdownCard {...props} stats={stats} breakdown="channels" title={title} />
  return <Card title={title} children={<Skeleton height={120} />} />
}

/** Clicks of the short URL and of its QR code. Both are listed, even without clicks. */
export function LinkModes({ stats }: { stats: Stats | undefined }) {
  const { t } = useText()
  const name = useValueNames('link_modes')
  const items = ['link', 'qr'].map((mode) => ({
    name: name(mode),
    count: stats?.link_modes.find((item) => item.name === mode)?.count ?? 0,
  }))
  return (
    <Card title={t('link.modes')}>
      <Ranking items={items} total={stats?.total_clicks ?? 0} />
    </Card>
  )
}

function Card({ title, children }: { title: string; children: ReactNode }) {
  return (
    <Paper withBorder p="md" miw={0} style={{ flexGrow: 1 }}>
      <Title order={2} fz="md" mb="sm">
        {title}
      </Title>
      {children}
    </Paper>
  )
}

interface BreakdownProps extends BreakdownsProps {
  breakdown: Exclude<BreakdownName, 'link_modes'>
  title: string
}

function BreakdownCard(props: BreakdownProps) {
  return (
    <Card title={props.title}>
      <BreakdownList {...props} />
    </Card>
  )
}

/** One breakdown. Its first page comes from the statistics, further pages are read on demand. */
function BreakdownList({ breakdown, ...props }: BreakdownProps) {
  const { stats } = props
  const first = stats[breakdown]
  if (first.length === PAGE_SIZE)
    return <BreakdownPages key={props.range ?? ''} breakdown={breakdown} first={first} {...props} />
  return <BreakdownPage breakdown={breakdown} items={first} total={stats.total_clicks} />
}

function BreakdownPage({
  breakdown,
  items,
  total,
}: {
  breakdown: BreakdownName
  items: readonly NameCount[]
  total: number
}) {
  const name = useValueNames(breakdown)
  return <Ranking items={items.map((item) => ({ ...item, name: name(item.name) }))} total={total} />
}

function useBreakdown({ subject, id, range, breakdown }: BreakdownProps, offset: number) {
  const query = { dimension: breakdown, offset, limit: PAGE_SIZE, ...(range && { range }) }
  return useCall(`${subject}s`, subject === 'link' ? 'getLinkBreakdown' : 'getBundleBreakdown', {
    params: { id },
    query,
  })
}

function BreakdownPages({ first, ...props }: BreakdownProps & { first: readonly NameCount[] }) {
  const { t } = useText()
  const [offset, setOffset] = useState(0)
  const { data, isLoadingError, error, isPlaceholderData, refetch } = useBreakdown(props, offset)
  // Stays when a page fails to load, to keep the pager.
  const [total, setTotal] = useState(0)
  if (data && data.body.total !== total) setTotal(data.body.total)
  // After an update, the current page may not exist.
  if (data && !isPlaceholderData && offset > 0 && offset >= total)
    setOffset(Math.max(0, Math.floor((total - 1) / PAGE_SIZE) * PAGE_SIZE))
  const items = offset === 0 ? first : data?.body.items
  return (
    <>
      {items && (
        <StaleContent isStale={offset > 0 && isPlaceholderData}>
          <BreakdownPage breakdown={props.breakdown} items={items} total={props.stats.total_clicks} />
        </StaleContent>
      )}
      {isLoadingError && (
        <ReadError
          {...(offset === 0 && { title: t('ranking.more') })}
          error={error}
          onRetry={() => void refetch()}
        />
      )}
      <Pager label={props.title} offset={offset} size={PAGE_SIZE} total={total} onMove={setOffset} />
    </>
  )
}
