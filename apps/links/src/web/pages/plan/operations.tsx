import { Stack, Text } from '@mantine/core'
import { Fold } from '../../parts/history/fold.tsx'
import { BundleName, LinkName } from '../../parts/history/subject-names.tsx'
import { visible } from '../../parts/history/visible.ts'
import { useText } from '../../texts/text.ts'
import { OP_NAMES } from './op-names.ts'
import { partsOf } from './parts.ts'
import type { Op } from './plan.ts'

/** The operations of a plan in words, each with everything that it holds. */
export function Operations({ ops }: { ops: readonly Op[] }) {
  const { t, number } = useText()
  const name = useOpName()
  const [first, ...others] = partsOf(ops)
  return (
    <Stack gap={0} py="xs">
      {first && <Ops ops={first.items} from={first.from} />}
      {others.map(({ items, from, to }) => (
        <Fold
          key={from}
          summary={
            <>
              <b>{t('plans.operationsRange', { range: `${number(from)}–${number(to)}` })}</b>{' '}
              {[...Map.groupBy(items, name)]
                .map(([text, { length }]) => `${text}: ${number(length)}`)
                .join(' · ')}
            </>
          }
        >
          {() => <Ops ops={items} from={from} />}
        </Fold>
      ))}
    </Stack>
  )
}

function Ops({ ops, from }: { ops: readonly Op[]; from: number }) {
  const { t } = useText()
  return ops.map((op, index) => (
    // oxlint-disable-next-line react/no-array-index-key -- two operations of a plan may be equal
    <div key={index}>
      <Summary op={op} position={from + index} />
      <Fold summary={t('plans.wholeOperation', { number: from + index })}>
        {() => (
          <pre className="operation-text" dir="ltr">
            {textOf(op)}
          </pre>
        )}
      </Fold>
    </div>
  ))
}

/** Each line of the JSON, whose own line breaks are the only ones that stay. */
function textOf(op: Op): string {
  return JSON.stringify(op, null, 2).split('\n').map(visible).join('\n')
}

function Summary({ op, position }: { op: Op; position: number }) {
  const { number } = useText()
  const name = useOpName()
  const { params = {}, body = {} } = op
  const ofBundle = op.operation.includes('Bundle')
  const { id, linkId, slug } = params
  const { link_id } = body
  return (
    <div className="subject">
      <Text size="sm" span>
        {number(position)}. {name(op)}
      </Text>
      {ofBundle ? <BundleOf reference={id} /> : <LinkOf reference={id} />}
      <LinkOf reference={linkId ?? link_id} />
      {typeof slug === 'string' && <bdi>/{visible(slug)}</bdi>}
    </div>
  )
}

function LinkOf({ reference }: { reference: unknown }) {
  const id = idOf(reference)
  return id === undefined ? <OfOperation reference={reference} /> : <LinkName id={id} />
}

function BundleOf({ reference }: { reference: unknown }) {
  const id = idOf(reference)
  return id === undefined ? <OfOperation reference={reference} /> : <BundleName id={id} />
}

/** The link or bundle that an earlier operation creates. */
function OfOperation({ reference }: { reference: unknown }) {
  const { t } = useText()
  const index = (reference as { $op?: unknown } | undefined)?.$op
  if (typeof index !== 'number') return null
  return (
    <Text size="sm" span c="dimmed">
      {t('plans.ofOperation', { number: index + 1 })}
    </Text>
  )
}

function idOf(reference: unknown): number | undefined {
  return typeof reference === 'number' || typeof reference === 'string'
    ? Number(reference) || undefined
    : undefined
}

/** Names an operation in the user's language, with the number of its subjects. */
function useOpName(): (op: Op) => string {
  const { t } = useText()
  return ({ operation, body = {} }) => {
    const { ids, items, filter } = body
    if (operation === 'updateLinks' && filter !== undefined) return t('plans.op.updateMatching')
    const list = ids ?? items
    const name = OP_NAMES[operation]
    return name ? t(name, { count: Array.isArray(list) ? list.length : 1 }) : visible(operation)
  }
}
