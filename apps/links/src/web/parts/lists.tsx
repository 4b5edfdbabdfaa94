import { Box, Paper, SimpleGrid, Skeleton, Title } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import type { ListName, NameCount, Range } from '../../analytics/schema.ts'
import type { Result } from '../call.ts'
import { countryNames } from './country.ts'
import { Pager } from './pager.tsx'
import { PartFailed } from './part-failed.tsx'
import { Ranking } from './ranking.tsx'
import { Earlier } from './earlier.tsx'
import { useCall } from '../queries.ts'
import type { OwnKey } from '../texts/areas.ts'
import { useText } from '../texts/text.ts'

type Stats = Result<'getLinkAnalytics'>

/** As many as ClickStats has of each list (L14.5). */
const PAGE = 10

const NAMES: Readonly<Record<string, OwnKey>> = {
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

/** Names of a list as people know them; what visitors' browsers said is shown as it came. */
function useNames(list: ListName): (name: string) => string {
  const { t, language } = useText()
  if (list === 'countries') return countryNames(language)
  if (list === 'os') return (name) => SYSTEMS[name] ?? t('link.name.other')
  if (list === 'browsers') return (name) => (name === 'Other' ? t('link.name.other') : name)
  if (list !== 'devices' && list !== 'channels' && list !== 'link_modes') return (name) => name
  return (name) => {
    const key = NAMES[name]
    return key ? t(key) : name
  }
}

interface ListProps {
  /** Whose clicks; a link's without it. */
  of?: 'link' | 'bundle'
  id: number
  /** The range that was asked for; undefined for the person's own. */
  range: Range | undefined
  stats: Stats
}

/** Who clicked, from where and with what. */
export function Lists(props: ListProps) {
  const { t } = useText()
  return (
    <>
      <SimpleGrid cols={{ base: 1, sm: 2, lg: 3 }} spacing="md">
        <ListCard {...props} list="countries" title={t('link.countries')} />
        <ListCard {...props} list="referrers" title={t('link.referrers')} />
        <ListCard {...props} list="referrer_hosts" title={t('link.hosts')} />
        <ListCard {...props} list="devices" title={t('link.devices')} />
        <ListCard {...props} list="os" title={t('link.os')} />
        <ListCard {...props} list="browsers" title={t('link.browsers')} />
      </SimpleGrid>
      <Utm {...props} />
    </>
  )
}

const UTM = ['utm_sources', 'utm_mediums', 'utm_campaigns'] as const

function Utm(props: ListProps) {
  const { t } = useText()
  const isEmpty = UTM.every((list) => props.stats[list].length === 0)
  return (
    <Card title={t('link.utm')}>
      {isEmpty ? (
        <Ranking items={[]} total={0} />
      ) : (
        <SimpleGrid cols={{ base: 1, sm: 3 }} spacing="xl">
          {UTM.map((list) => (
            <Box key={list} miw={0}>
              <Title order={3} fz="sm" fw={550} c="dimmed" mb="xs">
                {t(`link.${list}`)}
              </Title>
              <List {...props} list={list} title={t(`link.${list}`)} />
            </Box>
          ))}
        </SimpleGrid>
      )}
    </Card>
  )
}

export function Channels({ stats, ...props }: Omit<ListProps, 'stats'> & { stats: Stats | undefined }) {
  const { t } = useText()
  const title = t('link.channels')
  if (stats) return <ListCard {...props} stats={stats} list="channels" title={title} />
  return <Card title={title} children={<Skeleton height={120} />} />
}

/** How often the short URL itself was followed and how often its QR code; both, also when one never was. */
export function Access({ stats }: { stats: Stats | undefined }) {
  const { t } = useText()
  const name = useNames('link_modes')
  const items = ['link', 'qr'].map((mode) => ({
    name: name(mode),
    count: stats?.link_modes.find((known) => known.name === mode)?.count ?? 0,
  }))
  return (
    <Card title={t('link.access')}>
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

interface OneProps extends ListProps {
  list: Exclude<ListName, 'link_modes'>
  title: string
}

function ListCard(props: OneProps) {
  return (
    <Card title={props.title}>
      <List {...props} />
    </Card>
  )
}

/** One list: its first page from the statistics, further ones when they are asked for. */
function List({ list, ...given }: OneProps) {
  const { stats } = given
  const first = stats[list]
  if (first.length === PAGE) return <Pages key={given.range ?? ''} list={list} first={first} {...given} />
  return <Page list={list} items={first} total={stats.total_clicks} />
}

function Page({ list, items, total }: { list: ListName; items: readonly NameCount[]; total: number }) {
  const name = useNames(list)
  return <Ranking items={items.map((item) => ({ ...item, name: name(item.name) }))} total={total} />
}

function useBreakdown({ of = 'link', id, range, list }: OneProps, offset: number) {
  const query = { dimension: list, offset, limit: PAGE, ...(range && { range }) }
  return useCall(`${of}s`, of === 'link' ? 'getLinkBreakdown' : 'getBundleBreakdown', {
    params: { id },
    query,
  })
}

function Pages({ first, ...one }: OneProps & { first: readonly NameCount[] }) {
  const { t } = useText()
  const [offset, setOffset] = useState(0)
  const { data, isLoadingError, error, isPlaceholderData, refetch } = useBreakdown(one, offset)
  // Kept while a page cannot be had: there is a way back from it.
  const [total, setTotal] = useState(0)
  if (data && data.body.total !== total) setTotal(data.body.total)
  // News may leave nothing of the page.
  if (data && !isPlaceholderData && offset > 0 && offset >= total)
    setOffset(Math.max(0, Math.floor((total - 1) / PAGE) * PAGE))
  const items = offset === 0 ? first : data?.body.items
  return (
    <>
      {items && (
        <Earlier is={offset > 0 && isPlaceholderData}>
          <Page list={one.list} items={items} total={one.stats.total_clicks} />
        </Earlier>
      )}
      {isLoadingError && (
        <PartFailed
          {...(offset === 0 && { title: t('ranking.more') })}
          error={error}
          onRetry={() => void refetch()}
        />
      )}
      <Pager what={one.title} offset={offset} size={PAGE} total={total} onMove={setOffset} />
    </>
  )
}
