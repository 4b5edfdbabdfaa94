import { ActionIcon, Alert, Button, Group, Select, Stack, Text, TextInput, Title } from '@mantine/core'
import { IconX } from '@latchkey/web/icons'
import { ErrorNotice } from '@latchkey/web/shell/error-boundary'
import { showSuccess } from '@latchkey/web/toast'
import { useMutation } from '@tanstack/react-query'
import { type FormEvent, type ReactNode, useEffect, useId, useRef, useState } from 'react'
import { MEMBER_ROLES } from '../../../../api/roles.ts'
import { type Result, call } from '../../../call.ts'
import { Refusal } from '../../../parts/refusal.tsx'
import { invalidate, useCall } from '../../../queries.ts'
import { useText } from '../../../texts/text.ts'

type RoomGroup = Result<'listRoomGroups'>['groups'][number]

type Edits = readonly RoomGroup[] | null

function useGroups(roomId: string) {
  const { t } = useText()
  const [edits, setEdits] = useState<Edits>(null)
  const { data, error, refetch } = useCall('groups', 'listRoomGroups', { params: { id: roomId } })
  const save = useMutation({
    mutationFn: (groups: RoomGroup[]) =>
      call('replaceRoomGroups', { params: { id: roomId }, body: { groups } }),
    onSuccess: async () => {
      showSuccess(t('groups.saved'))
      await invalidate('groups')
      setEdits(null)
    },
  })
  return { data, error, retry: () => void refetch(), edits, setEdits, save }
}

/** The groups of the identity provider whose people are members (R38.3). */
export function RoomGroups({ roomId }: { roomId: string }) {
  const { t } = useText()
  const id = useId()
  const { data, error, retry, edits, setEdits, save } = useGroups(roomId)
  if (error && !data) return <ErrorNotice error={error} onRetry={retry} />
  if (!data || (!data.enabled && data.groups.length === 0)) return null
  const groups = edits ?? data.groups
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const named = groups.map(({ name, role }) => ({ name: name.trim(), role }))
    save.mutate(named.filter(({ name }) => name !== ''))
  }
  return (
    <form onSubmit={submit} aria-labelledby={id}>
      <Stack gap="sm">
        <div>
          <Title order={3} size="h2" id={id}>
            {t('groups.title')}
          </Title>
          <Text size="sm" c="dimmed">
            {t(data.enabled ? 'groups.help' : 'groups.off')}
          </Text>
        </div>
        <GroupList groups={groups} newFrom={edits ? data.groups.length : Infinity} onChange={setEdits}>
          {save.error && (
            <Alert color="red" role="alert">
              <Refusal error={save.error} />
            </Alert>
          )}
          {edits && (
            <Button type="submit" loading={save.isPending}>
              {t('groups.save')}
            </Button>
          )}
        </GroupList>
      </Stack>
    </form>
  )
}

interface ListProps {
  groups: readonly RoomGroup[]
  /** Groups from this one on were added. */
  newFrom: number
  onChange: (groups: readonly RoomGroup[]) => void
  /** Beside the button that adds a group. */
  children: ReactNode
}

function GroupList({ groups, newFrom, onChange, children }: ListProps) {
  const { t } = useText()
  const addButton = useRef<HTMLButtonElement>(null)
  return (
    <>
      {groups.map((group, index) => (
        // oxlint-disable-next-line react/no-array-index-key -- a group has no other identity while its name is typed.
        <Group key={index} gap="xs" wrap="nowrap">
          <GroupFields
            group={group}
            number={index + 1}
            onChange={(next) => onChange(groups.with(index, { ...group, ...next }))}
            isNew={index >= newFrom}
          />
          <ActionIcon
            variant="subtle"
            color="gray"
            size="lg"
            aria-label={t('groups.remove', { number: index + 1 })}
            onClick={() => {
              onChange(groups.filter((_, at) => at !== index))
              addButton.current?.focus()
            }}
          >
            <IconX size={18} />
          </ActionIcon>
        </Group>
      ))}
      <Group gap="sm">
        <Button
          ref={addButton}
          variant="default"
          onClick={() => onChange([...groups, { name: '', role: 'speaker' }])}
        >
          {t('groups.add')}
        </Button>
        {children}
      </Group>
    </>
  )
}

interface FieldsProps {
  group: RoomGroup
  number: number
  /** The name has the focus, to be typed. */
  isNew: boolean
  onChange: (next: Partial<RoomGroup>) => void
}

function GroupFields({ group, number, isNew, onChange }: FieldsProps) {
  const { t } = useText()
  const field = useRef<HTMLInputElement>(null)
  useEffect(() => {
    if (!isNew) return undefined
    // The Enter that added the group would otherwise submit the form.
    const timer = setTimeout(() => field.current?.focus())
    return () => clearTimeout(timer)
  }, [isNew])
  return (
    <>
      <TextInput
        aria-label={t('groups.name', { number })}
        placeholder={t('groups.nameHint')}
        value={group.name}
        ref={field}
        onChange={({ currentTarget }) => onChange({ name: currentTarget.value })}
        style={{ flex: 1, minWidth: 0 }}
      />
      <Select
        aria-label={t('groups.role', { number })}
        data={MEMBER_ROLES.toReversed().map((role) => ({ value: role, label: t(`room.role.${role}`) }))}
        value={group.role}
        onChange={(role) => role && onChange({ role })}
        allowDeselect={false}
        comboboxProps={{ withinPortal: false }}
        style={{ flex: '0 0 8rem' }}
      />
    </>
  )
}
