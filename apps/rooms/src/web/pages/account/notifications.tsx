import { Group, Input, Stack, Switch, TextInput } from '@mantine/core'
import { browserTimeZone } from '@latchkey/web/formats'
import { showError } from '@latchkey/web/toast'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { type Result, call } from '../../call.ts'
import { type DesktopState, desktopState, setDesktop } from '../../notifications/desktop.ts'
import { usePushKey } from '../../notifications/push-key.ts'
import { LoadingOrError } from '../../parts/loading-or-error.tsx'
import { Section } from '../../parts/section.tsx'
import { invalidate, useCall } from '../../queries.ts'
import { useText } from '../../texts/text.ts'

type Settings = Result<'getNotificationSettings'>

const NIGHT = { from: '22:00', to: '07:00' }

/** How the user is notified. Changes are saved at once. */
export function Notifications() {
  const { t, failure } = useText()
  const { data, error, refetch } = useCall('notifications', 'getNotificationSettings', {})
  const save = useMutation({
    mutationFn: (body: Settings) => call('updateNotificationSettings', { body }),
    onSuccess: () => invalidate('notifications'),
    onError: (refusal) => showError(failure(refusal)),
  })
  const settings = save.variables && save.isPending ? save.variables : data
  return (
    <Section title={t('notify.title')} help={t('notify.help')}>
      {settings ? (
        <Stack gap="md">
          <Desktop />
          <Switch
            label={t('notify.sound')}
            checked={settings.sound}
            onChange={({ currentTarget }) => save.mutate({ ...settings, sound: currentTarget.checked })}
          />
          <Quiet settings={settings} onChange={(quiet) => save.mutate({ ...settings, quiet })} />
        </Stack>
      ) : (
        <LoadingOrError error={error} onRetry={() => void refetch()} />
      )}
    </Section>
  )
}

function Desktop() {
  const { t } = useText()
  const [state, setState] = useState(desktopState)
  const pushKey = usePushKey()
  if (state === 'unsupported') return null
  return (
    <Switch
      label={t('notify.desktop')}
      description={t(helpOf(state, pushKey))}
      checked={state === 'on'}
      disabled={state === 'denied'}
      onChange={({ currentTarget }) => void setDesktop(currentTarget.checked, pushKey).then(setState)}
    />
  )
}

function helpOf(state: DesktopState, pushKey: string | undefined) {
  if (state === 'denied') return 'notify.desktopDenied'
  return pushKey === undefined ? 'notify.desktopHelpOpen' : 'notify.desktopHelp'
}

interface QuietProps {
  settings: Settings
  onChange: (quiet: Settings['quiet']) => void
}

function Quiet({ settings: { quiet }, onChange }: QuietProps) {
  const { t } = useText()
  const [isEmpty, setEmpty] = useState(false)
  const field = (name: 'from' | 'to') => (
    <TextInput
      type="time"
      key={`${name} ${quiet?.[name]}`}
      label={t(`notify.quiet.${name}`)}
      defaultValue={quiet?.[name] ?? ''}
      onBlur={({ currentTarget: { value } }) => {
        if (!quiet || value === '' || value === quiet[name]) return
        const next = { ...quiet, [name]: value, tz: browserTimeZone }
        setEmpty(next.from === next.to)
        if (next.from !== next.to) onChange(next)
      }}
    />
  )
  return (
    <>
      <Switch
        label={t('notify.quiet')}
        description={quiet ? t('notify.quietIn', { zone: quiet.tz }) : t('notify.quietHelp')}
        checked={quiet !== null}
        onChange={({ currentTarget }) =>
          onChange(currentTarget.checked ? { ...NIGHT, tz: browserTimeZone } : null)
        }
      />
      {quiet && (
        <div>
          <Group gap="md">
            {field('from')}
            {field('to')}
          </Group>
          {isEmpty && (
            <Input.Error mt={4} role="alert">
              {t('notify.quietEmpty')}
            </Input.Error>
          )}
        </div>
      )}
    </>
  )
}
