import { Anchor, Group, Paper, SimpleGrid, Stack, Text, Title } from '@mantine/core'
import type { ReactNode } from 'react'
import { Link } from 'wouter'
import type { Result } from '../../call.ts'
import { Copy } from '@latchkey/web/parts/copy'
import { countryNames } from '../../parts/country.ts'
import { Ranking } from '../../parts/ranking.tsx'
import { primarySlug, shortUrl, withoutScheme } from '../../parts/short-url.ts'
import { useText } from '../../texts/text.ts'

type Stats = Result<'getDashboard'>

export function Lists({ stats }: { stats: Stats }) {
  const { t, number, language } = useText()
  const country = countryNames(language)
  const totalText = (count: number) => t('dashboard.inAll', { total: number(count) })
  const popularHref = `/links?sort=clicks${stats.range === 'all' ? '' : `&range=${stats.range}`}`
  return (
    <SimpleGrid cols={{ base: 1, md: 2 }} spacing="md">
      <Panel title={t('dashboard.countries')} aside={totalText(stats.num_countries)}>
        <Ranking
          items={stats.top_countries.map(({ name, count }) => ({ name: country(name), count }))}
          total={stats.total_clicks}
        />
      </Panel>
      <Panel
        title={t('dashboard.topLinks')}
        aside={<ShowAllLink href={popularHref} label={t('dashboard.showPopular')} />}
      >
        <Ranking
          items={stats.top_links.map((link) => ({
            name: link.label ?? primarySlug(link),
            count: link.total_clicks,
            href: `/links/${link.id}`,
          }))}
          total={stats.total_clicks}
        />
      </Panel>
      <Panel title={t('dashboard.referrers')} aside={totalText(stats.num_referrers)}>
        <Ranking items={stats.top_referrers} total={stats.total_clicks} />
      </Panel>
      <Panel
        title={t('dashboard.recent')}
        aside={<ShowAllLink href="/links" label={t('dashboard.showRecent')} />}
      >
        <Stack gap="sm" component="ul" className="plain roomy">
          {stats.recent_links.map((link) => (
            <RecentLink key={link.id} link={link} />
          ))}
        </Stack>
      </Panel>
    </SimpleGrid>
  )
}

function Panel({ title, aside, children }: { title: string; aside: ReactNode; children: ReactNode }) {
  return (
    <Paper withBorder p="md" component="section" miw={0}>
      <Group justify="space-between" align="baseline" mb="md" gap="sm">
        <Title order={2} fz="md">
          {title}
        </Title>
        <Text size="xs" c="dimmed" component="div" className="roomy">
          {aside}
        </Text>
      </Group>
      {children}
    </Paper>
  )
}

function ShowAllLink({ href, label }: { href: string; label: string }) {
  const { t } = useText()
  return (
    <Anchor
      component={Link}
      href={href}
      size="xs"
      title={label}
      aria-label={`${t('dashboard.showAll')}: ${label}`}
    >
      {t('dashboard.showAll')}
    </Anchor>
  )
}

function RecentLink({ link }: { link: Stats['recent_links'][number] }) {
  const { day, moment } = useText()
  const url = shortUrl(link)
  return (
    <Group component="li" justify="space-between" wrap="nowrap" gap="sm">
      <Stack gap={0} miw={0}>
        <Anchor
          component={Link}
          href={`/links/${link.id}`}
          size="sm"
          c="inherit"
          fw={500}
          ta="left"
          truncate
          dir="auto"
          title={link.label ?? link.url}
        >
          {link.label ?? withoutScheme(link.url)}
        </Anchor>
        <Text size="xs" c="dimmed" truncate>
          {withoutScheme(url)}
        </Text>
      </Stack>
      <Group gap="xs" wrap="nowrap" flex="none">
        <Text size="xs" c="dimmed" title={moment(link.created_at)} className="figure">
          {day(link.created_at)}
        </Text>
        <Copy value={url} />
      </Group>
    </Group>
  )
}
