import { Alert, NativeSelect, Skeleton, Text } from '@mantine/core'
import { queries } from '@latchkey/web/queries'
import { useMutation } from '@tanstack/react-query'
import { type Input, call } from '../../call.ts'
import type { LinkDefaults } from '../../link-dialogs/create-link.ts'
import { DomainField } from '../../parts/domain-field.tsx'
import { ReadError } from '../../parts/read-error.tsx'
import { useCall } from '../../queries.ts'
import { useText } from '../../texts/text.ts'
import { useAllBundles } from '../bundles/use-all-bundles.ts'

type Changes = Partial<Input<'setDefaults'>['body']>

const KEY = ['settings', 'getDefaults', {}]
const DAY = 86_400
const EXPIRY_DAYS = [1, 7, 30, 90, 365] as const

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
    onMutate: show,
    onSuccess: show,
    onError: () => show(defaults),
  })
  const save = (changes: Changes) => saving.mutate({ ...defaults, ...changes })
  return (
    <>
      <DomainField value={defaults.domain ?? ''} onChange={(domain) => save({ domain: domain || null })} />
      <BundleDefault value={defaults.bundle} onChange={(bundle) => save({ bundle })} />
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

interface DefaultProps {
  value: number | null
  onChange: (value: number | null) => void
}

function BundleDefault({ value, onChange }: DefaultProps) {
  const { t } = useText()
  const bundles = useAllBundles().data ?? []
  const isListed = value === null || bundles.some(({ id }) => id === value)
  return (
    <NativeSelect
      label={t('bundles.bundle')}
      data={[
        { value: '', label: t('create.noBundle') },
        // Archived by now, or not read yet.
        ...(isListed ? [] : [{ value: String(value), label: t('history.bundle', { id: value }) }]),
        ...bundles.map(({ id, name }) => ({ value: String(id), label: name })),
      ]}
      value={value ?? ''}
      onChange={({ currentTarget }) =>
        onChange(currentTarget.value === '' ? null : Number(currentTarget.value))
      }
    />
  )
}

function ExpiryDefault({ value, onChange }: DefaultProps) {
  const { t } = useText()
  const days = [...new Set([...EXPIRY_DAYS, ...(value === null ? [] : [Math.round(value / DAY)])])]
  return (
    <NativeSelect
      label={t('links.expires')}
      data={[
        { value: '', label: t('link.never') },
        ...days
          .toSorted((a, b) => a - b)
          .map((count) => ({ value: String(count * DAY), label: t('defaults.days', { count }) })),
      ]}
      value={value ?? ''}
      onChange={({ currentTarget }) =>
        onChange(currentTarget.value === '' ? null : Number(currentTarget.value))
      }
    />
  )
}
