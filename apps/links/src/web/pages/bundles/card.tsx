import { Anchor, Badge, Box, Group, Paper, Stack, Text, Title } from '@mantine/core'
import { Link } from 'wouter'
import type { Result } from '../../call.ts'
import { Delta } from '../../parts/delta.tsx'
import { Sparkline } from '../../parts/sparkline.tsx'
import { useText } from '../../texts/text.ts'
import { BundleIcon, accentColor } from './accent.tsx'
import { BundleActions, isArchived } from './actions.tsx'
import { useFocusFallback } from '@latchkey/web/focus-fallback'
import { usePending } from '../../parts/pending.ts'

type Summary = Result<'listBundles'>[number]

/** `search` is the query string of the link to the page of the bundle. */
export function BundleCard({ bundle, search }: { bundle: Summary; search: string }) {
  const { t, number } = useText()
  useFocusFallback('h1')
  return (
    <Paper component="li" withBorder p="md" className="bundle-card">
      <Stack gap="sm" h="100%">
        <Head bundle={bundle} search={search} />
        <Group justify="space-between" align="end" wrap="nowrap" gap="lg">
          <Box flex="none">
            <Text size="xs" c="dimmed">
              {t('bundles.clicks')}
            </Text>
            <Group gap="xs" align="baseline" wrap="nowrap">
              <Text fz={24} fw={600} lh={1.2} className="figure">
                {number(bundle.total_clicks)}
              </Text>
              <Delta value={bundle.delta_pct} />
            </Group>
          </Box>
          <Box flex={1} maw={150} miw={0}>
            <Sparkline counts={bundle.sparkline} color={accentColor(bundle.accent)} />
          </Box>
        </Group>
        <TopLinks links={bundle.top_links} />
      </Stack>
    </Paper>
  )
}

function Head({ bundle, search }: { bundle: Summary; search: string }) {
  const { t } = useText()
  const pending = usePending()
  return (
    <Group gap="sm" wrap="nowrap" align="flex-start">
      <BundleIcon icon={bundle.icon} accent={bundle.accent} />
      <Box flex={1} miw={0}>
        <Group gap="xs" wrap="nowrap">
          <Title order={2} fz="md" lh={1.4} miw={0}>
            <Anchor
              component={Link}
              href={`/bundles/${bundle.id}${search}`}
              c="inherit"
              inherit
              lineClamp={2}
              style={{ overflowWrap: 'anywhere' }}
              title={bundle.name}
              className="bundle-link"
              dir="auto"
            >
              {bundle.name}
            </Anchor>
          </Title>
          {isArchived(bundle, pending) && (
            <Badge variant="default" tt="none" fw={500} flex="none">
              {t('bundles.archivedOne')}
            </Badge>
          )}
        </Group>
        <Text size="xs" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
          {t('bundles.links', { count: bundle.link_count })} · {bundle.created_by}
        </Text>
      </Box>
      <BundleActions bundle={bundle} />
    </Group>
  )
}

function TopLinks({ links }: { links: Summary['top_links'] }) {
  const { t, number } = useText()
  if (links.length === 0)
    return (
      <Text size="sm" c="dimmed">
        {t('bundles.noClicks')}
      </Text>
    )
  return (
    <Box component="ul" m={0} p={0} aria-label={t('bundles.topLinks')} style={{ listStyle: 'none' }}>
      {links.map(({ slug, click_count }) => (
        <Group component="li" key={slug} justify="space-between" wrap="nowrap" gap="md" py={2}>
          <Text size="sm" truncate title={slug} dir="auto">
            /{slug}
          </Text>
          <Text size="sm" c="dimmed" className="figure" flex="none">
            {number(click_count)}
          </Text>
        </Group>
      ))}
    </Box>
  )
}
