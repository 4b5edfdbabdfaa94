import { Input, NativeSelect, SegmentedControl } from '@mantine/core'
import type { ReactNode } from 'react'
import { LANGUAGES, type Language, isLanguage } from '../languages.ts'
import { useTexts } from '../texts.ts'

interface Choice<Value> {
  /** Null follows the browser. */
  value: Value | null
  onChange: (value: Value | null) => void
  error?: ReactNode
}

export function LanguageChoice({ value, onChange, error }: Choice<Language>) {
  const { t } = useTexts()
  return (
    <NativeSelect
      label={t('appearance.lang')}
      error={error}
      value={value ?? 'auto'}
      onChange={({ currentTarget }) => onChange(isLanguage(currentTarget.value) ? currentTarget.value : null)}
    >
      <option value="auto">{t('appearance.langAuto')}</option>
      {Object.entries(LANGUAGES).map(([language, name]) => (
        <option key={language} value={language} lang={language}>
          {name}
        </option>
      ))}
    </NativeSelect>
  )
}

export function SchemeChoice({ value, onChange, error }: Choice<'light' | 'dark'>) {
  const { t } = useTexts()
  return (
    <Input.Wrapper
      label={t('appearance.scheme')}
      labelElement="div"
      description={t('appearance.schemeHelp')}
      error={error}
      inputWrapperOrder={['label', 'input', 'description', 'error']}
    >
      <SegmentedControl
        aria-label={t('appearance.scheme')}
        fullWidth
        mb={5}
        data={[
          { value: 'auto', label: t('appearance.auto') },
          { value: 'light', label: t('appearance.light') },
          { value: 'dark', label: t('appearance.dark') },
        ]}
        value={value ?? 'auto'}
        onChange={(chosen) => onChange(chosen === 'light' || chosen === 'dark' ? chosen : null)}
      />
    </Input.Wrapper>
  )
}
