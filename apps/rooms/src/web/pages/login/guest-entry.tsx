import { Stack, Text, Title } from '@mantine/core'
import { useState } from 'react'
import { call } from '../../call.ts'
import { NicknameForm } from '../../parts/nickname-form.tsx'
import { useText } from '../../texts/text.ts'

/** Entry for guests, with only a nickname (R14.1). `back` is the path to open afterwards. */
export function GuestEntry({ back }: { back: string }) {
  const { t } = useText()
  const text = useState('')
  const enter = async (nickname: string) => {
    await call('createGuestSession', { body: { nickname } })
    // Every session starts with a new page load.
    location.assign(back)
  }
  return (
    <Stack gap="sm">
      <div>
        <Title order={2}>{t('login.guestTitle')}</Title>
        <Text size="sm" c="dimmed" mt={4}>
          {t('login.guestHelp')}
        </Text>
      </div>
      <NicknameForm text={text} button={t('login.enter')} save={enter} />
    </Stack>
  )
}
