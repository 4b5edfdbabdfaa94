import { Input, SegmentedControl, Select, useMantineColorScheme } from '@mantine/core'
import { type Language, changeLanguage } from '@latchkey/web/texts'
import { useText } from '../../texts/text.ts'
import { type Settings, useSaving } from './saving.ts'
import { Saved, Section } from './section.tsx'

/** Each in its own words, so that everybody finds theirs. */
const LANGUAGES: Readonly<Record<Language, string>> = {
  en: 'English',
  sv: 'Svenska',
  id: 'Bahasa Indonesia',
}

export function Appearance({ settings }: { settings: Settings }) {
  const { say } = useText()
  return (
    <Section title={say('settings.appearance')}>
      <LanguageChoice lang={settings.lang} />
      <ThemeChoice theme={settings.theme} />
    </Section>
  )
}

function LanguageChoice({ lang }: Pick<Settings, 'lang'>) {
  const { say, failure } = useText()
  const saving = useSaving((settings) => void changeLanguage(settings.lang))
  return (
    <Saved saving={saving}>
      <Select
        label={say('settings.lang')}
        error={saving.error && failure(saving.error)}
        allowDeselect={false}
        data={[
          { value: 'auto', label: say('settings.langAuto') },
          ...Object.entries(LANGUAGES).map(([value, label]) => ({ value, label })),
        ]}
        value={lang ?? 'auto'}
        onChange={(value) => saving.save({ lang: value === 'auto' ? null : (value as Language) })}
      />
    </Saved>
  )
}

function ThemeChoice({ theme }: Pick<Settings, 'theme'>) {
  const { say, failure } = useText()
  const { setColorScheme } = useMantineColorScheme()
  const saving = useSaving((settings) => setColorScheme(settings.theme ?? 'auto'))
  return (
    <Saved saving={saving}>
      <Input.Wrapper
        label={say('settings.theme')}
        labelElement="div"
        description={say('settings.themeHelp')}
        error={saving.error && failure(saving.error)}
        inputWrapperOrder={['label', 'input', 'description', 'error']}
      >
        <SegmentedControl
          aria-label={say('settings.theme')}
          fullWidth
          mb={5}
          data={[
            { value: 'auto', label: say('settings.themeAuto') },
            { value: 'light', label: say('settings.themeLight') },
            { value: 'dark', label: say('settings.themeDark') },
          ]}
          value={theme ?? 'auto'}
          onChange={(value) => saving.save({ theme: value === 'auto' ? null : value })}
        />
      </Input.Wrapper>
    </Saved>
  )
}
