import { Group, Paper, SimpleGrid, Stack, Text, Title } from '@mantine/core'
import type { ReactNode } from 'react'
import type { Range } from '../../../analytics/schema.ts'
import { TimeChart } from '../../parts/chart.tsx'
import { countryNames } from '../../parts/country.ts'
import { Delta } from '../../parts/delta.tsx'
import { LinkModes, Channels, Breakdowns } from '../../parts/breakdowns.tsx'
import { hasUnknownVisitors } from '../../parts/visitors.ts'
import { timeZone } from '../../parts/time-zone.ts'
import { useText } from '../../texts/text.ts'
import type { Stats } from './page.tsx'

export function BundleTotals({ stats }: { stats: Stats }) {
  const { t } = useText()
  return (
    <Stack gap="md">
      <Totals stats={stats} />
      <Paper withBorder p="md">
        <TimeChart buckets={stats.timeline.buckets} title={t('bundles.overTime')} note={timeZone} />
      </Paper>
    </Stack>
  )
}

/** Breakdowns of a bundle. `range` is the requested range, undefined for the user's default. */
export function VisitorBreakdowns({ stats, range }: { stats: Stats; range: Range | undefined }) {
  const { t } = useText()
  const breakdownProps = { subject: 'bundle', id: stats.bundle.id, range, stats } as const
  return (
    <Stack gap="md">
      <Title order={2}>{t('bundles.breakdowns')}</Title>
      <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="md">
        <Channels {...breakdownProps} />
        <LinkModes stats={stats} />
      </SimpleGrid>
      <Breakdowns {...breakdownProps} />
    </Stack>
  )
}

function Totals({ stats }: { stats: Stats }) {
  const { t, number, share, language } = useText()
  const isUnknown = hasUnknownVisitors(stats)
  const { top_country: country, top_performer: topPerformer } = stats
  return (
    <Group component="dl" gap="md" m={0} align="stretch">
      <Stat name={t('bundles.clicks')} value={number(stats.total_clicks)}>
        <Delta value={stats.delta_pct} />
      </Stat>
      <Stat
        name={t('bundles.visitors')}
        value={isUnknown ? '–' : number(stats.unique_visitors)}
        {...(isUnknown && { children: t('chart.visitorsUnknown') })}
      />
      <Stat name={t('bundles.clicked')} value={number(stats.clicked_links)}>
        {t('bundles.clickedOf', { total: number(stats.link_count) })}
      </Stat>
      <Stat name={t('bundles.countries')} value={number(stats.countries_reached)}>
        {country &&
          t('bundles.mostFrom', {
            share: share(country.pct / 100),
            name: countryNames(language)(country.name),
          })}
      </Stat>
      {topPerformer && (
        <Stat name={t('bundles.topPerformer')} value={topPerformer.label ?? `/${topPerformer.slug}`}>
          {t('bundles.ofClicks', { share: share(topPerformer.pct_of_bundle / 100) })}
        </Stat>
      )}
    </Group>
  )
}

/** A value with its name above and a note below. */
function Stat({ name, value, children }: { name: string; value: string; children?: ReactNode }) {
  return (
    <Paper withBorder px="md" py="sm" flex="1 1 150px" miw={0}>
      <Text component="dt" size="xs" c="dimmed">
        {name}
      </Text>
      <Text
        component="dd"
        m={0}
        fz={22}
        fw={600}
        lh={1.4}
        className="figure"
        truncate
        title={value}
        dir="auto"
      >
        {value}
      </Text>
      {children !== undefined && (
        <Text component="dd" m={0} size="xs" c="dimmed">
          {children}
        </Text>
      )}
    </Paper>
  )
}
