import { Group, Stack, Text } from '@mantine/core'
import { destinationsOf, hostsOf } from '../../../changes/destinations.ts'
import { Subjects, Values } from '../../parts/history/changes.tsx'
import { Fold } from '../../parts/history/fold.tsx'
import { useText } from '../../texts/text.ts'
import { partsOf } from './parts.ts'
import type { PlanChange } from './plan.ts'
import { Hosts } from './warnings.tsx'

/** The changes of a plan: the first ones open, the others in folds that say what they hold. */
export function Diff({ changes }: { changes: readonly PlanChange[] }) {
  const { t, number } = useText()
  const [first, ...others] = partsOf(changes)
  if (!first)
    return (
      <Text size="sm" c="dimmed" py="md">
        {t('plans.noChanges')}
      </Text>
    )
  return (
    <>
      <Changes changes={first.items} />
      {others.map(({ items, from, to }) => (
        <Fold key={from} summary={<Summary changes={items} range={`${number(from)}–${number(to)}`} />}>
          {() => <Changes changes={items} />}
        </Fold>
      ))}
    </>
  )
}

function Changes({ changes }: { changes: readonly PlanChange[] }) {
  return (
    <Stack component="ul" className="changes" gap={0} m={0} p={0}>
      {changes.map((change, index) => (
        // The list of a plan never changes its order.
        // oxlint-disable-next-line react/no-array-index-key -- two changes of a plan may be equal
        <Change key={index} change={change} />
      ))}
    </Stack>
  )
}

function Change({ change }: { change: PlanChange }) {
  const { t } = useText()
  return (
    <li className="change">
      <Group gap="xs" miw={0}>
        <Text size="sm" fw={600}>
          {t(`history.kind.${change.kind}`)}
        </Text>
        <Subjects change={change} />
      </Group>
      <Values change={change} />
    </li>
  )
}

/** How many changes of each kind a fold holds, and all hosts that they lead to. */
function Summary({ changes, range }: { changes: readonly PlanChange[]; range: string }) {
  const { t, number } = useText()
  const kinds = Map.groupBy(changes, ({ kind }) => kind)
  const hosts = hostsOf(changes.flatMap(({ after }) => destinationsOf(after)))
  return (
    <>
      <b>{t('plans.changesRange', { range })}</b>{' '}
      {[...kinds].map(([kind, { length }]) => `${t(`history.kind.${kind}`)}: ${number(length)}`).join(' · ')}
      {hosts.length > 0 && <Hosts hosts={hosts} />}
    </>
  )
}
