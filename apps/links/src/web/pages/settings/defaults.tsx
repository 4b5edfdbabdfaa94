import { Alert, NativeSelect, Skeleton, Text } from '@mantine/core'
import { queries } from '@latchkey/web/queries'
import { useMutation } from '@tanstack/react-query'
import { type Input, call } from '../../call.ts'
import type { LinkDefaults } from '../../link-dialogs/create-link.ts'
import { DomainField } from '../../parts/domain-field.tsx'
import { ReadError } from '../../parts/read-error.tsx'
import { invalidate, useCall } from '../../queries.ts'
import { useText } from '../../texts/text.ts'
import { BundleField } from '../bundles/bundle-field.tsx'

type Changes = Partial<Input<'setDefaults'>['body']>

const KEY = ['settings', 'getDefaults', {}]
const DAY = 86_400
const EXPIRIES = [1, 7, 30, 90, 365].map((days) => days * DAY)

/** What the pages put into a new link: its domain, bundle, expiry and forwarded parameters. */
export function NewLinkDefaults() {
  const { t } = useText()
  const { data, error, refetch } = useCall('settings', 'getDefaults', {})
  if (error && !data) return <ReadError error={error} onRetry={() => void refetch()} />
  if (!data) return <Skeleton height={240} />
  return (
    <>
      <Text size="sm" c="dimmed">
        {t('defaults.help')}
      </Text>
      <Fields defaults={data.body} />
    </>
  )
}

/** Displays the defaults before they are saved. */
const show = (body: LinkDefaults) =>
  queries.setQueryData(KEY, (reply: object | undefined) => reply && { ...reply, body })

function Fields({ defaults }: { defaults: LinkDefaults }) {
  const { t, failure } = useText()
  const saving = useMutation({
    scope: { id: 'defaults' },
    mutationFn: (body: LinkDefaults) => call('setDefaults', { body }, { keepalive: true }),
    onMutate(body) {
      const before = queries.getQueryData<object>(KEY)
      show(body)
      return before
    },
    onSuccess: show,
    onError(_, __, before) {
      queries.setQueryData(KEY, before)
      return invalidate('settings')
    },
  })
  const save = (changes: Changes) => saving.mutate({ ...defaults, ...changes })
  return (
    <>
      <DomainField value={defaults.domain ?? ''} onChange={(domain) => save({ domain: domain || null })} />
      <BundleField
        value={defaults.bundle === null ? '' : String(defaults.bundle)}
        onChange={(bundle) => save({ bundle: bundle === '' ? null : Number(bundle) })}
      />
      <ExpiryDefault value={defaults.expires_in} onChange={(seconds) => save({ expires_in: seconds })} />
      <NativeSelect
        label={t('link.forward')}
        data={(['none', 'utm', 'all'] as const).map((value) => ({
          value,
          label: t(`create.forward.${value}`),
        }))}
        value={defaults.forward_query ?? 'none'}
        onChange={({ currentTarget: { value } }) =>
          save({ forward_query: value === 'utm' || value === 'all' ? value : null })
        }
      />
      {saving.error && (
        <Alert color="red" role="alert">
          {failure(saving.error)}
        </Alert>
      )}
    </>
  )
}

/** A time that is no number of days, as "in 36 hours", which a client may have stored. */
function untilExpiry(language: string, seconds: number): string {
  const format = new Intl.RelativeTimeFormat(language)
  if (seconds % 3600 === 0) return format.format(seconds / 3600, 'hour')
  return seconds % 60 === 0 ? format.format(seconds / 60, 'minute') : format.format(seconds, 'second')
}

interface ExpiryProps {
  value: number | null
  onChange: (value: number | null) => void
}

function ExpiryDefault({ value, onChange }: ExpiryProps) {
  const { t, language } = useText()
  const choices = [...new Set([...EXPIRIES, ...(value === null ? [] : [value])])]
  const nameOf = (seconds: number) =>
    seconds % DAY === 0 ? t('defaults.days', { count: seconds / DAY }) : untilExpiry(language, seconds)
  return (
    <NativeSelect
      label={t('links.expires')}
      data={[
        { value: '', label: t('link.never') },
        ...choices
          .toSorted((a, b) => a - b)
          .map((seconds) => ({ value: String(seconds), label: nameOf(seconds) })),
      ]}
      value={value ?? ''}
      onChange={({ currentTarget }) =>
        onChange(currentTarget.value === '' ? null : Number(currentTarget.value))
      }
    />
  )
}
