import { Badge, Button, Group, Stack, Text, UnstyledButton } from '@mantine/core'
import type { ReactNode } from 'react'
import { Initials } from '../initials.tsx'
import { useText } from '../../texts/text.ts'
import { BundleName, LinkName } from './subject-names.tsx'
import { Value } from './value.tsx'
import { type Change, isUnset, valueChangesOf } from './values.ts'
import { visible } from './visible.ts'

type Subject = Pick<Change, 'link_id' | 'bundle_id'>
type Difference = Pick<Change, 'before' | 'after'>

interface Props {
  changes: readonly Change[]
  /** Narrows the list to a person or a program. */
  onFilter?: (filter: { identity: string } | { assistant: string }) => void
  /** Names the link or bundle of each change, and leads there. */
  hasSubjects?: boolean
  /** The button that restores a link to the change. */
  actionFor?: (change: Change) => ReactNode
}

/** Changes with their authors and values, as a list. */
export function Changes({ changes, ...options }: Props) {
  return (
    <Stack component="ul" className="changes" gap={0} m={0} p={0}>
      {changes.map((change) => (
        <Item key={change.id} change={change} {...options} />
      ))}
    </Stack>
  )
}

function Item({
  change,
  onFilter,
  hasSubjects = false,
  actionFor,
}: { change: Change } & Omit<Props, 'changes'>) {
  const { t, moment } = useText()
  return (
    <li className="change">
      <Group justify="space-between" gap="xs" align="flex-start">
        <Group gap="xs" miw={0}>
          <Text size="sm" fw={600}>
            {t(`history.kind.${change.kind}`)}
          </Text>
          {hasSubjects && <Subjects change={change} />}
          <Badge variant="default" tt="none" fw={500}>
            {t(`history.via.${change.via}`)}
          </Badge>
        </Group>
        {actionFor?.(change)}
      </Group>
      <Group gap="xs" mt={4} miw={0}>
        <span className="person is-whole">
          <Initials name={change.identity} />
          <Name name={change.identity} onPick={onFilter && (() => onFilter({ identity: change.identity }))} />
        </span>
        <Program change={change} onFilter={onFilter} />
        <Text size="sm" c="dimmed">
          {moment(change.changed_at)}
        </Text>
      </Group>
      <Values change={change} />
    </li>
  )
}

function Name({ name, onPick }: { name: string; onPick: (() => void) | undefined }) {
  const { t } = useText()
  if (!onPick) return <bdi>{visible(name)}</bdi>
  return (
    <UnstyledButton className="change-name" onClick={onPick} aria-label={t('history.only', { name })}>
      <bdi>{visible(name)}</bdi>
    </UnstyledButton>
  )
}

/** The program that wrote, and its tool. */
export function Program({
  change: { assistant, assistant_name: title, tool },
  onFilter,
}: {
  change: Pick<Change, 'assistant' | 'assistant_name' | 'tool'>
  onFilter: Props['onFilter']
}) {
  const { t } = useText()
  if (assistant === null) return null
  const name = title === null ? assistant : t('history.key', { name: title })
  return (
    <Text size="sm" span style={{ overflowWrap: 'anywhere' }}>
      <Name name={name} onPick={onFilter && (() => onFilter({ assistant }))} />
      {tool !== null && <> · {tool}</>}
    </Text>
  )
}

/** The link and the bundle of a change. */
export function Subjects({ change: { link_id: link, bundle_id: bundle } }: { change: Subject }) {
  return (
    <>
      {link !== null && <LinkName id={link} />}
      {bundle !== null && <BundleName id={bundle} />}
    </>
  )
}

/** The values that a change replaced, and their replacements. */
export function Values({ change }: { change: Difference }) {
  const { t } = useText()
  const values = valueChangesOf(change)
  if (values.length === 0) return null
  return (
    <dl className="change-values">
      {values.map(({ field, name, before, after }) => (
        <div key={field}>
          <dt>{t(name)}</dt>
          <dd>
            {!isUnset(before) && (
              <div className={change.after ? 'change-before' : undefined}>
                <Value field={field} value={before} />
              </div>
            )}
            {!isUnset(before) && change.after && <span className="change-to">{t('history.to')}</span>}
            {change.after && (
              <div>
                <Value field={field} value={after} />
              </div>
            )}
          </dd>
        </div>
      ))}
    </dl>
  )
}

/** Loads the next page of a list. */
export function OlderButton({ onClick }: { onClick: () => void }) {
  const { t } = useText()
  return (
    <Group justify="center" p="sm">
      <Button variant="default" size="compact-md" onClick={onClick}>
        {t('history.older')}
      </Button>
    </Group>
  )
}
