import { Paper, Group, SegmentedControl, SimpleGrid, Title } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import type { ListName, NameCount, Range } from '../../../analytics/schema.ts'
import type { Result } from '../../call.ts'
import { countryNames } from '../../parts/country.ts'
import { Ranking } from '../../parts/ranking.tsx'
import { useCall } from '../../queries.ts'
import type { TextKey } from '../../texts/en.ts'
import { useText } from '../../texts/text.ts'
import { Pager } from './pager.tsx'

export type Stats = Result<'getLinkAnalytics'>

/** As many as ClickStats has of each list (L14.5). */
const PAGE = 10

const NAMES: Readonly<Record<string, TextKey>> = {
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
  const { say, language } = useText()
  if (list === 'countries') return countryNames(language)
  if (list === 'os') return (name) => SYSTEMS[name] ?? say('link.name.other')
  if (list === 'browsers') return (name) => (name === 'Other' ? say('link.name.other') : name)
  if (list !== 'devices' && list !== 'channels' && list !== 'link_modes') return (name) => name
  return (name) => {
    const key = NAMES[name]
    return key ? say(key) : name
  }
}

interface ListProps {
  id: number
  /** The range that was asked for; undefined for the person's own. */
  range: Range | undefined
  stats: Stats
}

/** Who clicked, from where and with what. */
export function Lists(props: ListProps) {
  const { say } = useText()
  return (
    <SimpleGrid cols={{ base: 1, sm: 2, lg: 3 }} spacing="md">
      <ListCard {...props} list="countries" title={say('link.countries')} />
      <ListCard {...props} list="referrers" title={say('link.referrers')} />
      <ListCard {...props} list="referrer_hosts" title={say('link.hosts')} />
      <ListCard {...props} list="channels" title={say('link.channels')} />
      <ListCard {...props} list="devices" title={say('link.devices')} />
      <ListCard {...props} list="os" title={say('link.os')} />
      <ListCard {...props} list="browsers" title={say('link.browsers')} />
      <Utm {...props} />
    </SimpleGrid>
  )
}

const UTM = ['utm_sources', 'utm_mediums', 'utm_campaigns'] as const

function Utm(props: ListProps) {
  const { say } = useText()
  const [list, setList] = useState<(typeof UTM)[number]>('utm_sources')
  const data = UTM.map((value) => ({ value, label: say(`link.${value}`) }))
  const choice = (
    <SegmentedControl
      size="xs"
      fullWidth
      mb="sm"
      aria-label={say('link.utm')}
      data={data}
      value={list}
      onChange={(value) => setList(value)}
    />
  )
  // The pages of one are not those of another.
  return <ListCard key={list} {...props} list={list} title={say('link.utm')} above={choice} />
}

/** How often the short URL itself was followed and how often its QR code; both, also when one never was. */
export function Access({ stats }: { stats: Stats | undefined }) {
  const { say } = useText()
  const name = useNames('link_modes')
  const items = ['link', 'qr'].map((mode) => ({
    name: name(mode),
    count: stats?.link_modes.find((known) => known.name === mode)?.count ?? 0,
  }))
  return (
    <Card title={say('link.access')}>
      <Ranking items={items} total={stats?.total_clicks ?? 0} />
    </Card>
  )
}

export function Card({ title, children }: { title: string; children: ReactNode }) {
  return (
    <Paper withBorder p="md" miw={0} h="100%">
      <Group mb="sm">
        <Title order={3} fz="md">
          {title}
        </Title>
      </Group>
      {children}
    </Paper>
  )
}

interface CardProps extends ListProps {
  list: Exclude<ListName, 'link_modes'>
  title: string
  above?: ReactNode
}

/** One list: its first page from the statistics, further ones when they are asked for. */
function ListCard({ list, title, above, ...given }: CardProps) {
  const { stats } = given
  const first = stats[list]
  return (
    <Card title={title}>
      {above}
      {first.length < PAGE ? (
        <Page list={list} items={first} total={stats.total_clicks} />
      ) : (
        <Pages list={list} title={title} first={first} {...given} />
      )}
    </Card>
  )
}

function Page({ list, items, total }: { list: ListName; items: readonly NameCount[]; total: number }) {
  const name = useNames(list)
  return <Ranking items={items.map((item) => ({ ...item, name: name(item.name) }))} total={total} />
}

function Pages({ id, range, stats, list, title, first }: CardProps & { first: readonly NameCount[] }) {
  const [offset, setOffset] = useState(0)
  const query = { dimension: list, offset, limit: PAGE, ...(range && { range }) }
  const { data } = useCall('links', 'getLinkBreakdown', { params: { id }, query })
  const items = offset === 0 ? first : (data?.body.items ?? [])
  return (
    <>
      <Page list={list} items={items} total={stats.total_clicks} />
      <Pager what={title} offset={offset} size={PAGE} total={data?.body.total ?? 0} onMove={setOffset} />
    </>
  )
}
