import { SimpleGrid, Skeleton, Stack, Text } from '@mantine/core'
import { useCall } from '../../queries.ts'
import { ErrorNotice } from '@latchkey/web/shell/error-boundary'
import { useText } from '../../texts/text.ts'

import { Appearance } from './appearance.tsx'
import { me } from '../../me.ts'
import { NewLinkDefaults } from './defaults.tsx'
import { Domains } from './domains.tsx'
import { DefaultRange, Filter, RootRedirect, SlugLength } from './fields.tsx'
import { Account, Programs } from './programs.tsx'
import type { Settings } from './saving.ts'
import { Section } from './section.tsx'
import { UtmTemplates } from './utm-templates.tsx'

export { habitTexts } from '../../texts/habits.ts'

export default function SettingsPage() {
  const { t } = useText()
  const settings = useCall('settings', 'getSettings', {})
  return (
    <Stack gap="lg">
      <Text c="dimmed">{t('settings.intro')}</Text>
      {settings.error && !settings.data && (
        <ErrorNotice error={settings.error} onRetry={() => void settings.refetch()} />
      )}
      <SimpleGrid cols={{ base: 1, md: 2 }} spacing="lg">
        <Stack gap="lg">
          {settings.isPending && <Skeleton height={520} />}
          {settings.data && <OwnSettings settings={settings.data.body} />}
        </Stack>
        <Stack gap="lg">
          <Account />
          <UtmTemplates />
          <Programs />
          {me.domains.length > 0 && <Domains />}
        </Stack>
      </SimpleGrid>
    </Stack>
  )
}

function OwnSettings({ settings }: { settings: Settings }) {
  const { t } = useText()
  return (
    <>
      <Appearance settings={settings} />
      <Section title={t('settings.links')}>
        <SlugLength {...settings} />
        <NewLinkDefaults />
      </Section>
      <Section title={t('settings.stats')}>
        <DefaultRange {...settings} />
        <Filter
          name="filter_bots"
          label={t('settings.bots')}
          help={t('settings.botsHelp')}
          settings={settings}
        />
        <Filter
          name="filter_self_referrers"
          label={t('settings.self')}
          help={t('settings.selfHelp')}
          settings={settings}
        />
      </Section>
      <Section title={t('settings.instance')} note={t('settings.everyone')}>
        <RootRedirect {...settings} />
      </Section>
    </>
  )
}
