import {
  Alert,
  Button,
  Group,
  JsonInput,
  NativeSelect,
  Select,
  Skeleton,
  Stack,
  TextInput,
} from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { showSuccess } from '@latchkey/web/toast'
import { useState } from 'react'
import { ROBOTS } from '../../../settings/robots.ts'
import { WELL_KNOWN_NAMES } from '../../../domains/well-known-names.ts'
import { type Input, type Result, call, fieldOfRefusal } from '../../call.ts'
import { me } from '../../me.ts'
import { ReadError } from '../../parts/read-error.tsx'
import { defaultHost } from '../../parts/short-url.ts'
import { invalidate, useCall } from '../../queries.ts'
import { useText } from '../../texts/text.ts'
import { ifVersion } from '../link/behaviour/behaviour.ts'
import { Section } from './section.tsx'

type Domain = Result<'getDomain'>
type NewSettings = Input<'setDomain'>['body']

const HOSTS = [defaultHost, ...me.domains]
const STATUSES = ['301', '302', '307', '308'] as const

const FIELD_ERRORS = {
  root_url: ['root_url_invalid', 'root_url_too_long', 'root_url_malformed'],
  not_found_url: ['not_found_url_invalid', 'not_found_url_too_long', 'not_found_url_malformed'],
  alias_of: ['alias_of_unknown'],
} as const

/** The settings of one domain at a time. */
export function Domains() {
  const { t } = useText()
  const [host, setHost] = useState(HOSTS[0] ?? '')
  const domain = useCall('domains', 'getDomain', { params: { host } })
  return (
    <Section title={t('domains.title')} note={t('settings.everyone')}>
      <NativeSelect
        label={t('domains.domain')}
        data={HOSTS}
        value={host}
        onChange={({ currentTarget }) => setHost(currentTarget.value)}
      />
      {domain.error && !domain.data && (
        <ReadError error={domain.error} onRetry={() => void domain.refetch()} />
      )}
      {domain.isPending && <Skeleton height={480} />}
      {domain.data && domain.data.body.host === host && (
        <DomainForm
          // A form for another version starts with its values.
          key={`${host} ${domain.data.version}`}
          domain={domain.data.body}
          version={domain.data.version}
        />
      )}
    </Section>
  )
}

interface Values {
  root_url: string
  not_found_url: string
  /** Empty for the status of the instance. */
  status: string
  /** Empty for the value of the instance. */
  robots: string
  alias_of: string | null
  files: Record<string, string>
}

const valuesOf = (domain: Domain): Values => ({
  root_url: domain.root_url ?? '',
  not_found_url: domain.not_found_url ?? '',
  status: String(domain.status ?? ''),
  robots: domain.robots ?? '',
  alias_of: domain.alias_of,
  files: Object.fromEntries(
    WELL_KNOWN_NAMES.map((name) => {
      const file = domain.well_known[name]
      return [name, file === undefined ? '' : JSON.stringify(file, null, 2)]
    }),
  ),
})

function bodyOf({ root_url, not_found_url, status, robots, alias_of, files }: Values): NewSettings {
  const written = Object.entries(files).filter(([, text]) => text.trim() !== '')
  return {
    root_url: root_url.trim() || null,
    not_found_url: not_found_url.trim() || null,
    status: status === '' ? null : (Number(status) as NonNullable<Domain['status']>),
    robots: robots === '' ? null : (robots as NonNullable<Domain['robots']>),
    alias_of,
    well_known: Object.fromEntries(written.map(([name, text]) => [name, JSON.parse(text) as unknown])),
  }
}

/** Whether the text is empty, or JSON of an object or a list. */
function isFile(text: string): boolean {
  if (text.trim() === '') return true
  try {
    const file: unknown = JSON.parse(text)
    return typeof file === 'object' && file !== null
  } catch {
    return false
  }
}

function DomainForm({ domain, version }: { domain: Domain; version: string | undefined }) {
  const { t, failure } = useText()
  const [values, setValues] = useState(() => valuesOf(domain))
  const save = useMutation({
    mutationFn: () =>
      call('setDomain', { params: { host: domain.host }, body: bodyOf(values) }, ifVersion(version)),
    async onSuccess() {
      showSuccess(t('settings.saved'))
      await invalidate('domains', 'settings')
    },
  })
  const change = (changes: Partial<Values>) => {
    setValues({ ...values, ...changes })
    if (save.error) save.reset()
  }
  const wrongField = fieldOfRefusal(save.error, FIELD_ERRORS)
  const errorOf = (name: keyof typeof FIELD_ERRORS) => wrongField === name && failure(save.error)
  const areFiles = Object.values(values.files).every(isFile)
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        if (!save.isPending && areFiles) save.mutate()
      }}
    >
      <Stack gap="md">
        <UrlFields host={domain.host} values={values} change={change} errorOf={errorOf} />
        <NativeSelect
          label={t('domains.status')}
          data={[{ value: '', label: t('domains.asInstance') }, ...STATUSES]}
          value={values.status}
          onChange={({ currentTarget }) => change({ status: currentTarget.value })}
        />
        <AliasOf domain={domain} values={values} change={change} error={errorOf('alias_of')} />
        <NativeSelect
          label={t('domains.robots')}
          description={t('domains.robotsHelp')}
          data={[
            { value: '', label: t('domains.asInstance') },
            ...ROBOTS.map((value) => ({ value, label: t(`domains.robots.${value}`) })),
          ]}
          value={values.robots}
          onChange={({ currentTarget }) => change({ robots: currentTarget.value })}
        />
        <Files values={values} change={change} />
        {save.error && wrongField === undefined && (
          <Alert color="red" role="alert">
            {failure(save.error)}
          </Alert>
        )}
        <Group justify="flex-end">
          <Button type="submit" loading={save.isPending}>
            {t('link.save')}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

interface FieldProps {
  values: Values
  change: (changes: Partial<Values>) => void
  error?: string | false
}

interface UrlFieldsProps extends FieldProps {
  host: string
  errorOf: (name: 'root_url' | 'not_found_url') => string | false
}

function UrlFields({ host, values, change, errorOf }: UrlFieldsProps) {
  const { t } = useText()
  return (['root_url', 'not_found_url'] as const).map((name) => (
    <TextInput
      key={name}
      label={t(`domains.${name}`)}
      description={t(`domains.${name}Help`, { host })}
      inputWrapperOrder={['label', 'input', 'description', 'error']}
      inputMode="url"
      placeholder="https://"
      value={values[name]}
      error={errorOf(name)}
      onChange={({ currentTarget }) => change({ [name]: currentTarget.value })}
    />
  ))
}

/** Another domain, or one that left the settings. */
function AliasOf({ domain, values, change, error }: FieldProps & { domain: Domain }) {
  const { t } = useText()
  const others = HOSTS.filter((host) => host !== domain.host)
  const hosts = new Set([...others, ...(domain.alias_of === null ? [] : [domain.alias_of])])
  return (
    <Select
      label={t('domains.aliasOf')}
      description={t('domains.aliasOfHelp')}
      inputWrapperOrder={['label', 'input', 'description', 'error']}
      placeholder={t('domains.none')}
      clearable
      clearButtonProps={{ 'aria-label': t('domains.none') }}
      data={[...hosts]}
      value={values.alias_of}
      error={error}
      onChange={(alias_of) => change({ alias_of })}
    />
  )
}

/** The files by which apps prove that they belong to the domain. */
function Files({ values, change }: FieldProps) {
  const { t } = useText()
  return WELL_KNOWN_NAMES.map((name) => (
    <JsonInput
      key={name}
      label={name}
      description={t('domains.fileHelp', { path: `/.well-known/${name}` })}
      inputWrapperOrder={['label', 'input', 'description', 'error']}
      error={!isFile(values.files[name] ?? '') && t('domains.fileBad')}
      autosize
      minRows={2}
      maxRows={12}
      spellCheck={false}
      value={values.files[name] ?? ''}
      onChange={(text) => change({ files: { ...values.files, [name]: text } })}
    />
  ))
}
