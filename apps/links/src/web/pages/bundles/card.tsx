import { Box, Group, Paper, Stack, Text } from '@mantine/core'
import { Delta } from '../../parts/delta.tsx'
import { Sparkline } from '../../parts/sparkline.tsx'
import { useText } from '../../texts/text.ts'
import { BundleIcon, accentColor } from './accent.tsx'
import { BundleActions } from './actions.tsx'
import { BundleName, type Props } from './name.tsx'
import { useFocusFallback } from '@latchkey/web/focus-fallback'

type Summary = Props['bundle']

export function BundleCard({ bundle, search }: Props) {
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

function Head({ bundle, search }: Props) {
  return (
    <Group gap="sm" wrap="nowrap" align="flex-start">
      <BundleIcon icon={bundle.icon} accent={bundle.accent} />
      <Box flex={1} miw={0}>
        <BundleName bundle={bundle} search={search} />
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
