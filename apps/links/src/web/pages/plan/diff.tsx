import { Group, Stack, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { destinationsOf, hostsOf } from '../../../changes/destinations.ts'
import { Subjects, Values } from '../../parts/history/changes.tsx'
import { Favicon, useFavicons } from '../../parts/favicon.tsx'
import { Fold } from '../../parts/history/fold.tsx'
import { useText } from '../../texts/text.ts'
import { urlOf } from './names.ts'
import { partsOf } from './parts.ts'
import type { Plan, PlanChange } from './plan.ts'
import { Hosts } from './warnings.tsx'

/** The changes of a plan: the first ones open, the others in folds that say what they hold. */
export function Diff({ plan }: { plan: Plan }) {
  const { t, number } = useText()
  const { diff: changes } = plan
  const signs = useSigns(plan)
  const [first, ...others] = partsOf(changes)
  if (!first)
    return (
      <Text size="sm" c="dimmed" py="md">
        {t('plans.noChanges')}
      </Text>
    )
  return (
    <>
      <Changes changes={first.items} signs={signs} />
      {others.map(({ items, from, to }) => (
        <Fold key={from} summary={<Summary changes={items} range={`${number(from)}–${number(to)}`} />}>
          {() => <Changes changes={items} signs={signs} />}
        </Fold>
      ))}
    </>
  )
}

/** The icon of the destination of each change of a link, as far as it has one. */
type Signs = ReadonlyMap<PlanChange, ReactNode>

function useSigns(plan: Plan): Signs {
  const urls = plan.diff.flatMap((change) => {
    const url = urlOf(plan, change)
    return url === undefined ? [] : [{ change, url }]
  })
  const iconOf = useFavicons(urls.map(({ url }) => url))
  return new Map(urls.map(({ change, url }) => [change, <Favicon key={url} src={iconOf(url)} url={url} />]))
}

interface ChangesProps {
  changes: readonly PlanChange[]
  signs: Signs
}

function Changes({ changes, signs }: ChangesProps) {
  return (
    <Stack component="ul" className="changes" gap={0} m={0} p={0}>
      {changes.map((change, index) => (
        // The list of a plan never changes its order.
        // oxlint-disable-next-line react/no-array-index-key -- two changes of a plan may be equal
        <Change key={index} change={change} sign={signs.get(change)} />
      ))}
    </Stack>
  )
}

function Change({ change, sign }: { change: PlanChange; sign: ReactNode }) {
  const { t } = useText()
  return (
    <li className="change">
      <Group gap="xs" miw={0}>
        <Text size="sm" fw={600}>
          {t(`history.kind.${change.kind}`)}
        </Text>
        {sign}
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
