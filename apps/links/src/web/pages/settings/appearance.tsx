import { useMantineColorScheme } from '@mantine/core'
import { LanguageChoice, SchemeChoice } from '@latchkey/web/parts/appearance'
import { changeLanguage } from '@latchkey/web/texts'
import { useText } from '../../texts/text.ts'
import { type Settings, useSaving } from './saving.ts'
import { SaveStatus, Section } from './section.tsx'
import { OwnTimeZone } from './time-zone.tsx'

export function Appearance({ settings }: { settings: Settings }) {
  const { t } = useText()
  return (
    <Section title={t('settings.appearance')}>
      <OwnLanguage lang={settings.lang} />
      <OwnTimeZone time_zone={settings.time_zone} />
      <OwnScheme theme={settings.theme} />
    </Section>
  )
}

function OwnLanguage({ lang }: Pick<Settings, 'lang'>) {
  const { failure } = useText()
  const saving = useSaving((settings) => void changeLanguage(settings.lang))
  return (
    <SaveStatus saving={saving}>
      <LanguageChoice
        value={lang}
        onChange={(value) => saving.save({ lang: value })}
        error={saving.error && failure(saving.error)}
      />
    </SaveStatus>
  )
}

function OwnScheme({ theme }: Pick<Settings, 'theme'>) {
  const { failure } = useText()
  const { setColorScheme } = useMantineColorScheme()
  const saving = useSaving((settings) => setColorScheme(settings.theme ?? 'auto'))
  return (
    <SaveStatus saving={saving}>
      <SchemeChoice
        value={theme}
        onChange={(value) => saving.save({ theme: value })}
        error={saving.error && failure(saving.error)}
      />
    </SaveStatus>
  )
}
