import { useMantineColorScheme } from '@mantine/core'
import { LanguageChoice, SchemeChoice } from '@latchkey/web/parts/appearance'
import { changeLanguage } from '@latchkey/web/texts'
import { useText } from '../../texts/text.ts'
import { type Settings, useSaving } from './saving.ts'
import { Saved, Section } from './section.tsx'

export function Appearance({ settings }: { settings: Settings }) {
  const { t } = useText()
  return (
    <Section title={t('settings.appearance')}>
      <OwnLanguage lang={settings.lang} />
      <OwnScheme theme={settings.theme} />
    </Section>
  )
}

function OwnLanguage({ lang }: Pick<Settings, 'lang'>) {
  const { failure } = useText()
  const saving = useSaving((settings) => void changeLanguage(settings.lang))
  return (
    <Saved saving={saving}>
      <LanguageChoice
        value={lang}
        onChange={(value) => saving.save({ lang: value })}
        error={saving.error && failure(saving.error)}
      />
    </Saved>
  )
}

function OwnScheme({ theme }: Pick<Settings, 'theme'>) {
  const { failure } = useText()
  const { setColorScheme } = useMantineColorScheme()
  const saving = useSaving((settings) => setColorScheme(settings.theme ?? 'auto'))
  return (
    <Saved saving={saving}>
      <SchemeChoice
        value={theme}
        onChange={(value) => saving.save({ theme: value })}
        error={saving.error && failure(saving.error)}
      />
    </Saved>
  )
}
