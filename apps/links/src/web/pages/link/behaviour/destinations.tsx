import { Anchor, Button, Group, Text, VisuallyHidden } from '@mantine/core'
import { IconGripVertical } from '@latchkey/web/icons'
import { type ComponentProps, useState } from 'react'
import { queryOf, useShownStats } from '../../../analytics/use-analytics.ts'
import { useAnalyticsView } from '../../../analytics/use-view.ts'
import { useCall } from '../../../queries.ts'
import { useText } from '../../../texts/text.ts'
import { type Link, isMine, subjectOf } from '../link.ts'
import type { BehaviourControls } from './behaviour.ts'
import type { Behaviour, Rule, Destination } from '../../../parts/behaviour/types.ts'
import { percentagesOf } from '../../../parts/behaviour/percentages.ts'
import { RuleMenu, SplitMenu } from './rule-menu.tsx'
import { useSentences } from '../../../parts/behaviour/sentences.ts'
import { useBehaviourActions, usePromotion } from './use-behaviour-actions.ts'
import { useReorder } from './use-reorder.ts'

/** The rules as sentences in their order, then the destinations of all other visitors. */
export default function Destinations(controls: BehaviourControls) {
  const { t } = useText()
  const { link, open } = controls
  const actions = useBehaviourActions(controls)
  const promote = usePromotion(controls)
  const [announcement, setAnnouncement] = useState('')
  const clicksOf = useVariantClicks(link)
  const { rules = [], split } = actions.current
  const mayEdit = isMine(link)
  const move = (from: number, to: number) => {
    if (from === to || to < 0 || to >= rules.length) return
    actions.move(from, to)
    setAnnouncement(t('behaviour.moved', { place: to + 1, count: rules.length }))
  }
  const reorder = useReorder(move)
  return (
    <>
      <ol className="rules" ref={reorder.list}>
        {rules.map((rule, index) => (
          <li key={keyOf(rules, index)} className="rule" {...(mayEdit && reorder.itemProps(index))}>
            {mayEdit && rules.length > 1 && <Handle index={index} {...reorder.handleProps(index)} />}
            <RuleText rule={rule} variant={String(index + 1)} clicksOf={clicksOf} />
            {mayEdit && (
              <RuleMenu
                index={index}
                rules={rules}
                move={move}
                promote={promote}
                actions={actions}
                open={open}
              />
            )}
          </li>
        ))}
        <li className="rule">
          <div className="rule-text">
            <Text size="sm">{t(rules.length > 0 ? 'behaviour.everyoneElse' : 'behaviour.everyone')}</Text>
            <DestinationLines
              to={split ? { split } : link.url}
              variant={split ? '0' : 'url'}
              clicksOf={clicksOf}
            />
          </div>
          {mayEdit && split && <SplitMenu split={split} promote={promote} actions={actions} open={open} />}
        </li>
      </ol>
      <PassedOn behaviour={actions.current} />
      <Group>
        <Button size="compact-sm" variant="light" onClick={() => open({ about: 'test' })}>
          {t('behaviour.test')}
        </Button>
      </Group>
      <VisuallyHidden role="status">{announcement}</VisuallyHidden>
    </>
  )
}

/** What of the short URL becomes a part of the destination. */
function PassedOn({
  behaviour: { forward_query: forwarded = 'none', parameters },
}: {
  behaviour: Pick<Behaviour, 'forward_query' | 'parameters'>
}) {
  const { t } = useText()
  const sentences = [
    ...(forwarded === 'none' ? [] : [t(`behaviour.forwarded.${forwarded}`)]),
    ...(parameters ? [t('behaviour.filled')] : []),
  ]
  return sentences.map((sentence) => (
    <Text key={sentence} size="sm" c="dimmed">
      {sentence}
    </Text>
  ))
}

function Handle({ index, ...props }: { index: number } & ComponentProps<'button'>) {
  const { t } = useText()
  return (
    <button
      type="button"
      className="rule-handle"
      aria-label={t('behaviour.moveRule', { number: index + 1 })}
      title={t('behaviour.moveHelp')}
      {...props}
    >
      <IconGripVertical size={16} aria-hidden />
    </button>
  )
}

function RuleText({ rule, ...destination }: Omit<DestinationProps, 'to'> & { rule: Rule }) {
  const sentences = useSentences()
  return (
    <div className="rule-text">
      {rule.label !== undefined && (
        <Text size="xs" c="dimmed">
          <bdi>{rule.label}</bdi>
        </Text>
      )}
      <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
        {sentences.conditions(rule.when)}
      </Text>
      <DestinationLines to={rule.to} {...destination} />
    </div>
  )
}

/** Equal rules differ by their number. */
function keyOf(rules: readonly object[], index: number): string {
  const texts = rules.slice(0, index + 1).map((rule) => JSON.stringify(rule))
  return `${texts.at(-1)} ${texts.filter((text) => text === texts.at(-1)).length}`
}

type ClicksOf = (variant: string) => number | undefined

/**
 * Clicks of each destination in the statistics of the page, under the number of its rule then.
 * Undefined for a link without any, and where they are not read yet.
 */
function useVariantClicks({ id, total_clicks }: Link): ClicksOf {
  const { view } = useAnalyticsView()
  const subject = subjectOf({ id })
  const top = useShownStats(view, subject)?.breakdowns.variant
  const hasMore = top !== undefined && top.items.length < top.total
  const query = { ...queryOf(view, subject), dimension: 'variant' as const, limit: 100 }
  const all = useCall('links', 'getAnalyticsBreakdown', { query }, hasMore).data?.body
  const variants = hasMore ? all : top
  return (variant) => {
    if (total_clicks === 0 || !variants) return undefined
    if (variant === 'url') return variants.unknown
    return variants.items.find(({ name }) => name === variant)?.count ?? 0
  }
}

interface DestinationProps {
  to: Destination
  variant: string
  clicksOf: ClicksOf
}

function DestinationLines({ to, variant, clicksOf }: DestinationProps) {
  const { share } = useText()
  if (typeof to === 'string') return <DestinationLine url={to} clicks={clicksOf(variant)} />
  const shares = percentagesOf(to.split.map(({ weight }) => weight))
  return to.split.map(({ url, label }, index) => (
    <DestinationLine
      key={index}
      url={url}
      name={[share((shares[index] ?? 0) / 100), label].filter(Boolean).join(' ')}
      clicks={clicksOf(`${variant}.${index + 1}`)}
    />
  ))
}

interface LineProps {
  url: string
  name?: string
  clicks: number | undefined
}

function DestinationLine({ url, name, clicks }: LineProps) {
  const { t } = useText()
  return (
    <div className="rule-destination">
      <Text size="sm" c="dimmed" span miw={0} style={{ overflowWrap: 'anywhere' }}>
        <span aria-hidden>→{'\u00A0'}</span>
        {name !== undefined && <b className="rule-share">{name} </b>}
        <Anchor href={url} target="_blank" rel="noreferrer" size="sm" c="inherit" underline="always">
          <bdi>{url}</bdi>
        </Anchor>
      </Text>
      {clicks !== undefined && (
        <Text size="xs" c="dimmed" span className="rule-clicks" title={t('behaviour.clicksHelp')}>
          {t('behaviour.clicks', { count: clicks })}
        </Text>
      )}
    </div>
  )
}
