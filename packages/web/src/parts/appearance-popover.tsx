import { Stack, useMantineColorScheme } from '@mantine/core'
import { useState } from 'react'
import { isLanguage } from '../languages.ts'
import { readPreference, storePreference } from '../stored-preferences.ts'
import { changeLanguage, useTexts } from '../texts.ts'
import { LanguageChoice, SchemeChoice } from './appearance.tsx'
import { ButtonPopover } from './layer.tsx'

interface Props {
  button: HTMLElement | null
  isOpen: boolean
  onChange: (isOpen: boolean) => void
}

/** The choices of `AppearanceMenu`. */
export default function AppearancePopover(props: Props) {
  const { t } = useTexts()
  const { colorScheme, setColorScheme } = useMantineColorScheme()
  const [language, setLanguage] = useState(() => {
    const stored = readPreference('lang')
    return isLanguage(stored) ? stored : null
  })
  return (
    <ButtonPopover {...props} label={t('appearance.open')} width={300} position="bottom-end">
      <Stack gap="md">
        <LanguageChoice
          value={language}
          onChange={(next) => {
            setLanguage(next)
            storePreference('lang', next)
            void changeLanguage(next)
          }}
        />
        <SchemeChoice
          value={colorScheme === 'auto' ? null : colorScheme}
          onChange={(next) => {
            storePreference('scheme', next)
            setColorScheme(next ?? 'auto')
          }}
        />
      </Stack>
    </ButtonPopover>
  )
}
