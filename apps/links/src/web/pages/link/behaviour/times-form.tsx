import { Button, Checkbox, Group, PasswordInput, Stack, Text, TextInput } from '@mantine/core'
import { IntegerField } from '@latchkey/web/parts/integer-field'
import { useState } from 'react'
import { MAX_DATE_TIME, fromField, toField, zoneOfField } from '../../../parts/moment-field.ts'
import { useText } from '../../../texts/text.ts'
import type { Behaviour, NewBehaviour } from '../../../parts/behaviour/types.ts'
import { DialogForm, type DialogProps, useErrorAt, useSaving } from './dialog-form.tsx'
import { type Times, useSentences } from '../../../parts/behaviour/sentences.ts'

const MAX_CLICKS = 1_000_000_000
const MAX_PASSWORD_LENGTH = 200

interface Draft {
  starts: string
  beforeUrl: string
  afterUrl: string
  maxClicks: number | null
  asksToConfirm: boolean
  /** A new password; true keeps the present one, null removes it. */
  password: string | true | null
}

function draftOf({
  starts_at,
  before_url,
  after_url,
  max_clicks,
  confirm_visit,
  password,
}: Behaviour): Draft {
  return {
    starts: starts_at === undefined ? '' : toField(starts_at),
    beforeUrl: before_url ?? '',
    afterUrl: after_url ?? '',
    maxClicks: max_clicks ?? null,
    asksToConfirm: confirm_visit ?? false,
    password: password ?? null,
  }
}

type TimeFields = Omit<Times, 'clicks_left' | 'expires_at'>

function fieldsOf({ starts, beforeUrl, afterUrl, maxClicks, asksToConfirm, password }: Draft): TimeFields {
  const startsAt = fromField(starts)
  return {
    ...(startsAt !== null && { starts_at: startsAt }),
    ...(startsAt !== null && beforeUrl.trim() !== '' && { before_url: beforeUrl }),
    ...(afterUrl.trim() !== '' && { after_url: afterUrl }),
    ...(maxClicks !== null && { max_clicks: maxClicks, ...(asksToConfirm && { confirm_visit: true }) }),
    ...(password !== '' && password !== null && { password }),
  }
}

/** The behaviour without the fields of this form. A password stays until it is replaced. */
function withoutTimes(behaviour: NewBehaviour): NewBehaviour {
  const {
    starts_at: _,
    before_url: __,
    after_url: ___,
    max_clicks: ____,
    confirm_visit: _____,
    ...rest
  } = behaviour
  return rest
}

/** When the link works, for how many visits, and with which password. */
export function TimesForm(props: DialogProps) {
  const saving = useSaving(props)
  const errorAt = useErrorAt(saving)
  const sentences = useSentences()
  const [draft, setDraft] = useState(() => draftOf(props.snapshot.behaviour))
  const { max_clicks, clicks_left, password: hadPassword } = saving.base.behaviour
  const fields = fieldsOf(draft)
  const times: Times = {
    ...fields,
    // A limit begins again when it is changed.
    ...(clicks_left !== undefined && fields.max_clicks === max_clicks && { clicks_left }),
    expires_at: props.link.expires_at,
  }
  const change = (changes: Partial<Draft>) => setDraft({ ...draft, ...changes })
  return (
    <DialogForm
      saving={saving}
      close={props.close}
      change={() => (behaviour) => ({
        ...withoutTimes(behaviour),
        ...fields,
        ...(draft.password === null && hadPassword && { password: null }),
      })}
    >
      <Text size="sm" className="live-sentence" role="status">
        {sentences.times(times)}
      </Text>
      <StartFields draft={draft} change={change} errorAt={errorAt} />
      <LimitFields draft={draft} change={change} errorAt={errorAt} />
      <PasswordField draft={draft} change={change} errorAt={errorAt} hadPassword={hadPassword === true} />
    </DialogForm>
  )
}

interface FieldProps {
  draft: Draft
  change: (changes: Partial<Draft>) => void
  errorAt: (path: string) => string | undefined
}

function StartFields({ draft, change, errorAt }: FieldProps) {
  const { t, language } = useText()
  return (
    <>
      <TextInput
        label={t('behaviour.starts')}
        type="datetime-local"
        max={MAX_DATE_TIME}
        description={zoneOfField(draft.starts, language)}
        inputWrapperOrder={['label', 'input', 'description', 'error']}
        value={draft.starts}
        error={errorAt('starts_at')}
        onChange={({ currentTarget }) => change({ starts: currentTarget.value })}
      />
      {draft.starts !== '' && (
        <UrlField
          label={t('behaviour.beforeUrl')}
          value={draft.beforeUrl}
          error={errorAt('before_url')}
          onChange={(beforeUrl) => change({ beforeUrl })}
        />
      )}
    </>
  )
}

function LimitFields({ draft, change, errorAt }: FieldProps) {
  const { t } = useText()
  return (
    <>
      <IntegerField
        label={t('behaviour.maxClicks')}
        description={t('behaviour.maxClicksHelp')}
        inputWrapperOrder={['label', 'input', 'description', 'error']}
        min={1}
        max={MAX_CLICKS}
        value={draft.maxClicks}
        error={errorAt('max_clicks')}
        onChange={(maxClicks) => change({ maxClicks })}
      />
      {draft.maxClicks !== null && (
        <Checkbox
          label={t('behaviour.confirm')}
          description={t('behaviour.confirmHelp')}
          checked={draft.asksToConfirm}
          error={errorAt('confirm_visit')}
          onChange={({ currentTarget }) => change({ asksToConfirm: currentTarget.checked })}
        />
      )}
      <UrlField
        label={t('behaviour.afterUrl')}
        value={draft.afterUrl}
        error={errorAt('after_url')}
        onChange={(afterUrl) => change({ afterUrl })}
      />
    </>
  )
}

interface UrlProps {
  label: string
  value: string
  error: string | undefined
  onChange: (url: string) => void
}

function UrlField({ label, value, error, onChange }: UrlProps) {
  const { t } = useText()
  return (
    <TextInput
      label={label}
      description={t('behaviour.notFoundOtherwise')}
      inputWrapperOrder={['label', 'input', 'description', 'error']}
      placeholder="https://"
      inputMode="url"
      autoComplete="off"
      value={value}
      error={error}
      onChange={({ currentTarget }) => onChange(currentTarget.value)}
    />
  )
}

/** The password is never shown: it is stored as a hash. */
function PasswordField({ draft, change, errorAt, hadPassword }: FieldProps & { hadPassword: boolean }) {
  const { t } = useText()
  if (draft.password === true)
    return (
      <Stack gap={4}>
        <Text size="sm" fw={500}>
          {t('behaviour.password')}
        </Text>
        <Group gap="xs">
          <Text size="sm">{t('behaviour.passwordSet')}</Text>
          <Button size="compact-sm" variant="default" onClick={() => change({ password: '' })}>
            {t('behaviour.passwordChange')}
          </Button>
          <Button size="compact-sm" variant="subtle" color="red" onClick={() => change({ password: null })}>
            {t('link.remove')}
          </Button>
        </Group>
      </Stack>
    )
  return (
    <PasswordInput
      label={t('behaviour.password')}
      description={t(
        hadPassword && draft.password === null ? 'behaviour.passwordGoes' : 'behaviour.passwordHelp',
      )}
      inputWrapperOrder={['label', 'input', 'description', 'error']}
      autoComplete="new-password"
      maxLength={MAX_PASSWORD_LENGTH}
      visibilityToggleButtonProps={{ 'aria-label': t('behaviour.passwordShow') }}
      value={draft.password ?? ''}
      error={errorAt('password')}
      onChange={({ currentTarget }) =>
        // Emptied again, the field keeps the present password.
        change({ password: currentTarget.value })
      }
    />
  )
}
