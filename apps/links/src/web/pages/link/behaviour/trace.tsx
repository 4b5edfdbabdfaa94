import { Text } from '@mantine/core'
import { IconArrowRight, IconCheck, IconX } from '@latchkey/web/icons'
import { useValueNames } from '../../../analytics/value-names.ts'
import type { Result } from '../../../call.ts'
import type { OwnKey } from '../../../texts/index.ts'
import { type Translate, useText } from '../../../texts/text.ts'
import type { ConditionName } from '../../../parts/behaviour/conditions.ts'
import { momentName } from '../../../parts/behaviour/sentences.ts'

type Explanation = Result<'explainLink'>
type Step = Explanation['steps'][number]

/** The answer to a visit, and the checks that decided it, as sentences. */
export function Trace({ explanation }: { explanation: Explanation }) {
  const { t, language } = useText()
  const nameOf = useValueNames()
  const { location, outcome, counted, steps } = explanation
  const click = CLICKS[counted.as] ?? 'behaviour.counted.none'
  return (
    <div role="status">
      <Text size="sm" className="live-sentence">
        {location === null ? t(PAGES[outcome] ?? 'behaviour.page.notFound') : `→ ${location}`}
        {'. '}
        {t(click)}
      </Text>
      <ol className="trace">
        {steps.flatMap((step) => {
          const text = sentenceOf(step, { t, language, nameOf })
          return text === undefined ? [] : <TraceStep key={step.check} result={step.result} text={text} />
        })}
      </ol>
    </div>
  )
}

const CLICKS: Readonly<Record<string, OwnKey>> = {
  human: 'behaviour.counted.human',
  bot: 'behaviour.counted.bot',
  self: 'behaviour.counted.self',
}

/** Pages that are answered in place of a redirect. */
const PAGES: Readonly<Record<string, OwnKey>> = {
  locked: 'behaviour.page.locked',
  confirm: 'behaviour.page.confirm',
  preview: 'behaviour.page.preview',
}

const ICONS = { stop: IconX, fails: IconX, chosen: IconArrowRight, added: IconArrowRight } as const

function TraceStep({ result, text }: { result: Step['result']; text: string }) {
  const Icon = ICONS[result as keyof typeof ICONS] ?? IconCheck
  return (
    <li>
      <Icon size={15} aria-hidden />
      <Text size="sm" span style={{ overflowWrap: 'anywhere' }}>
        {text}
      </Text>
    </li>
  )
}

/** Sentences by field and result. What always passes has none. */
const SENTENCES: Readonly<Record<string, OwnKey>> = {
  'slug stop': 'behaviour.trace.slugDisabled',
  'disabled_at stop': 'behaviour.trace.disabled',
  'password stop': 'behaviour.trace.password',
  'starts_at pass': 'behaviour.trace.started',
  'starts_at stop': 'behaviour.trace.early',
  'expires_at pass': 'behaviour.trace.notExpired',
  'expires_at stop': 'behaviour.trace.expired',
  'max_clicks pass': 'behaviour.trace.left',
  'max_clicks stop': 'behaviour.trace.usedUp',
  'confirm_visit stop': 'behaviour.trace.confirm',
  'before_url chosen': 'behaviour.trace.instead',
  'after_url chosen': 'behaviour.trace.instead',
  'not_found_url chosen': 'behaviour.trace.instead',
  'url chosen': 'behaviour.trace.url',
  'forward_query added': 'behaviour.trace.added',
  'parameters added': 'behaviour.trace.filled',
}

interface Words {
  t: Translate
  language: string
  nameOf: ReturnType<typeof useValueNames>
}

/** Conditions about the moment of the visit. */
const TIMES: readonly ConditionName[] = ['after', 'before', 'hours']

const NAMED = ['device', 'os', 'browser', 'country'] as const

const isNamed = (name: ConditionName): name is (typeof NAMED)[number] =>
  (NAMED as readonly string[]).includes(name)

function sentenceOf({ check, saw, result }: Step, { t, language, nameOf }: Words): string | undefined {
  const [, rule, part = ''] = /^rules\.(\d+)\.(.*)$/.exec(check) ?? []
  const value = saw ?? t('analytics.unknown')
  if (rule === undefined) {
    if (check.startsWith('split.')) return t('behaviour.trace.split', { value })
    const key = SENTENCES[`${check} ${result}`]
    return key && t(key, { value })
  }
  const number = Number(rule) + 1
  if (part.startsWith('to')) return t('behaviour.trace.rule', { number, value })
  const name = part.replace(/^when\.(?:not_)?/, '') as ConditionName
  return t(result === 'holds' ? 'behaviour.trace.holds' : 'behaviour.trace.fails', {
    number,
    name: t(TIMES.includes(name) ? 'behaviour.time' : `behaviour.condition.${name}`),
    value:
      typeof value === 'number'
        ? momentName(value, language)
        : saw !== null && isNamed(name)
          ? nameOf(name, value)
          : value,
  })
}
