import { ActionIcon, Popover, Stack, useMantineColorScheme } from '@mantine/core'
import { useState } from 'react'
import { IconLanguage } from '../icons.ts'
import { isLanguage } from '../languages.ts'
import { readPreference, storePreference } from '../stored-preferences.ts'
import { changeLanguage, useTexts } from '../texts.ts'
import { LanguageChoice, SchemeChoice } from './appearance.tsx'

/**
 * Language and colours for any visitor, signed in or not, stored in this browser. For a client
 * whose server stores none.
 */
export function AppearanceMenu() {
  const { t } = useTexts()
  const { colorScheme, setColorScheme } = useMantineColorScheme()
  const [language, setLanguage] = useState(() => {
    const stored = readPreference('lang')
    return isLanguage(stored) ? stored : null
  })
  return (
    <Popover width={300} position="bottom-end" shadow="md" trapFocus returnFocus>
      <Popover.Target>
        <ActionIcon variant="default" size="lg" flex="none" aria-label={t('appearance.open')}>
          <IconLanguage size={18} aria-hidden />
        </ActionIcon>
      </Popover.Target>
      <Popover.Dropdown aria-label={t('appearance.open')} maw="calc(100vw - 16px)">
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
      </Popover.Dropdown>
    </Popover>
  )
}
