import { Button, Group, NativeSelect, SimpleGrid, Stack, TextInput } from '@mantine/core'
import { type FormEvent, type RefObject, useRef, useState } from 'react'
import { AUDIT_ACTIONS } from '../../../audit/actions.ts'
import { useText } from '../../texts/text.ts'
import { useFieldText } from './use-field-text.ts'

/**
 * Filters of the audit log. Empty strings match everything. `before` is a local time of this
 * browser.
 */
export const NO_FILTER = { action: '', actorUserId: '', targetType: '', targetId: '', before: '' } as const
type Filter = Record<keyof typeof NO_FILTER, string>

const TARGET_TYPES = ['user', 'room', 'session'] as const
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

interface Props {
  filter: Filter
  onFilter: (filter: Filter) => void
}

/** Form of the filters. An invalid value is reported at its field, which gets the focus. */
export function AuditFilters({ filter, onFilter }: Props) {
  const { t } = useText()
  const [values, setValues] = useFieldText(filter)
  const [badActor, setBadActor] = useState<string>()
  const actor = useRef<HTMLInputElement>(null)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const [actorUserId, targetId] = [values.actorUserId.trim().toLowerCase(), values.targetId.trim()]
    if (actorUserId === '' || UUID.test(actorUserId)) return onFilter({ ...values, actorUserId, targetId })
    setBadActor(values.actorUserId)
    actor.current?.focus()
  }
  const change = (name: keyof Filter, value: string) => setValues({ ...values, [name]: value })
  const clear = () => {
    // Clears values that were never submitted, too.
    setValues(NO_FILTER)
    onFilter(NO_FILTER)
  }
  return (
    <form role="search" aria-label={t('audit.filters')} onSubmit={submit} noValidate>
      <Stack gap="sm">
        <Fields
          values={values}
          change={change}
          actor={actor}
          actorError={values.actorUserId === badActor && t('audit.actorBad')}
        />
        <Group gap="sm">
          <Button type="submit" variant="default">
            {t('audit.show')}
          </Button>
          <Button variant="subtle" onClick={clear}>
            {t('audit.clear')}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

interface FieldsProps {
  values: Filter
  change: (name: keyof Filter, value: string) => void
  actor: RefObject<HTMLInputElement | null>
  actorError: string | false
}

function Fields({ values, change, actor, actorError }: FieldsProps) {
  const { t } = useText()
  const field = (name: keyof Filter) => ({
    value: values[name],
    onChange: ({ currentTarget: { value } }: { currentTarget: { value: string } }) => change(name, value),
  })
  const all = { value: '', label: t('audit.all') }
  const actions = AUDIT_ACTIONS.map((value) => ({ value, label: t(`audit.${value}`) }))
  const types = TARGET_TYPES.map((value) => ({ value, label: t(`audit.type.${value}`) }))
  return (
    <SimpleGrid cols={{ base: 1, xs: 2, lg: 3 }} spacing="sm">
      <NativeSelect label={t('audit.action')} data={[all, ...actions]} {...field('action')} />
      <TextInput ref={actor} label={t('audit.actor')} error={actorError} {...field('actorUserId')} />
      <NativeSelect label={t('audit.targetType')} data={[all, ...types]} {...field('targetType')} />
      <TextInput label={t('audit.targetId')} maxLength={255} {...field('targetId')} />
      <TextInput type="datetime-local" label={t('audit.before')} {...field('before')} />
    </SimpleGrid>
  )
}
