import { Alert, Button, Group, Stack, Text, TextInput, Textarea } from '@mantine/core'
import { CallError } from '@latchkey/web/call'
import { showSuccess } from '@latchkey/web/toast'
import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useRef } from 'react'
import { type Input, type Result, call } from '../../call.ts'
import { useUserDraft } from '../../user-draft.ts'
import { Section } from '../../parts/section.tsx'
import { LoadingOrError } from '../../parts/loading-or-error.tsx'
import { invalidate, useCall } from '../../queries.ts'
import { isKey, useText } from '../../texts/text.ts'
import { AdminRefusal } from './refusal.tsx'

type Answer = Result<'getPlatformSettings'>
type Settings = Answer['settings']
type Name = keyof Settings
type Edits = Partial<Record<Name, string>>
type PlatformChanges = Input<'changePlatformSettings'>['body']

const MAX_LENGTH = 500

export function InstanceSettings() {
  const { data, error, refetch } = useCall('admin', 'getPlatformSettings', {})
  if (!data) return <LoadingOrError error={error} onRetry={refetch} />
  return (
    <Stack gap="lg">
      <Fields settings={data.settings} />
      <Limits limits={data.limits} />
    </Stack>
  )
}

const parse = (draft: string) => (draft === '' ? {} : JSON.parse(draft)) as Edits

/** Unsaved changes, stored as a draft that survives a new sign-in. */
function useEdits(): readonly [edits: Edits, change: (update: (edits: Edits) => Edits) => void] {
  const [draft, setDraft] = useUserDraft('platform-settings')
  const change = (update: (edits: Edits) => Edits) =>
    setDraft((now) => {
      const next = update(parse(now))
      return Object.keys(next).length === 0 ? '' : JSON.stringify(next)
    })
  return [parse(draft), change]
}

const withoutSaved = (edits: Edits, sent: Edits): Edits =>
  Object.fromEntries(Object.entries(edits).filter(([name, text]) => sent[name as Name] !== text))

/** Saves changes. An empty value deletes the setting. */
function saveSettings(changes: Edits) {
  const body = Object.entries(changes).map(([name, text]) => [name, text.trim() || null])
  return call('changePlatformSettings', { body: Object.fromEntries(body) as PlatformChanges })
}

function Fields({ settings }: { settings: Settings }) {
  const { t } = useText()
  const [edits, change] = useEdits()
  const link = useRef<HTMLInputElement>(null)
  const save = useMutation({
    mutationFn: saveSettings,
    async onSuccess(_, sent) {
      showSuccess(t('admin.saved'))
      await invalidate('admin', 'config')
      // Keeps later edits.
      change((now) => withoutSaved(now, sent))
    },
    onError: (error) => isAboutLink(error) && link.current?.focus(),
  })
  const tooMany = (name: Name) => Array.from(edits[name]?.trim() ?? '').length - MAX_LENGTH
  const field = (name: Name) => ({
    label: t(`admin.${name}`),
    description: t(`admin.${name}Help`),
    value: edits[name] ?? settings[name] ?? '',
    error: tooMany(name) > 0 && t('room.tooLong', { count: tooMany(name) }),
    onChange({ currentTarget: { value } }: { currentTarget: { value: string } }) {
      if (save.error) save.reset()
      change((now) => ({ ...now, [name]: value }))
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    save.mutate(edits)
  }
  const isBadLink = save.error !== null && isAboutLink(save.error) && tooMany('supportUrl') <= 0
  return (
    <Section title={t('admin.part.settings')} isTitleHidden>
      <form onSubmit={submit} noValidate>
        <Stack gap="md" maw={560}>
          <TextInput {...field('productName')} />
          <TextInput
            {...field('supportUrl')}
            ref={link}
            type="url"
            {...(isBadLink && { error: t('admin.supportUrlBad') })}
          />
          <Textarea {...field('announcement')} autosize minRows={2} maxRows={8} />
          {save.error && !isBadLink && (
            <Alert color="red" role="alert">
              <AdminRefusal error={save.error} />
            </Alert>
          )}
          <Group>
            <Button type="submit" disabled={Object.keys(edits).length === 0} loading={save.isPending}>
              {t('admin.save')}
            </Button>
          </Group>
        </Stack>
      </form>
    </Section>
  )
}

/** The message of the server begins with the name of the field. */
const isAboutLink = (error: Error) => error instanceof CallError && /^supportUrl\b/.test(error.message)

/** Limits in words, and all of them with their names in `ROOMS_LIMITS` (R22). */
function Limits({ limits }: Pick<Answer, 'limits'>) {
  const { t, number } = useText()
  const words = Object.entries(limits).flatMap(([name, value]) => {
    const key = `admin.limit.${name}`
    return isKey(key) ? [{ name: t(key), value: number(value) }] : []
  })
  const all = Object.entries(limits).map(([name, value]) => ({ name, value: String(value) }))
  return (
    <Section title={t('admin.limits')}>
      <Facts facts={words} />
      <details>
        <Text component="summary" size="sm" c="dimmed">
          {t('admin.advanced')}
        </Text>
        <Text size="sm" c="dimmed" my="xs">
          {t('admin.limitsHelp')}
        </Text>
        <Facts facts={all} isCode />
      </details>
    </Section>
  )
}

interface FactsProps {
  facts: readonly { name: string; value: string }[]
  /** True for names that are typed in a setting. */
  isCode?: boolean
}

function Facts({ facts, isCode = false }: FactsProps) {
  return (
    <dl className="facts">
      {facts.map(({ name, value }) => (
        <div key={name}>
          <Text component="dt" size="sm" c="dimmed" className="wrap" {...(isCode && { ff: 'monospace' })}>
            {name}
          </Text>
          <Text component="dd" size="sm" m={0} fw={500}>
            {value}
          </Text>
        </div>
      ))}
    </dl>
  )
}
