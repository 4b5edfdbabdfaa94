import { Button, Group, NativeSelect, SimpleGrid, Skeleton, Stack, Text, TextInput } from '@mantine/core'
import { getTimeZone } from '@latchkey/web/formats'
import { useState } from 'react'
import { ISO_COUNTRIES } from '../../../../clicks/visitor-values.ts'
import { addDays, dayOf } from '../../../analytics/days.ts'
import { countryNames } from '../../../parts/country.ts'
import { focusFirstField } from '../../../parts/focus-first-field.ts'
import { MAX_DATE_TIME, fromField, zoneOfField } from '../../../parts/moment-field.ts'
import { ReadError } from '../../../parts/read-error.tsx'
import { useCall } from '../../../queries.ts'
import { useText } from '../../../texts/text.ts'
import type { Link } from '../link.ts'
import { Trace } from './trace.tsx'

const AGENTS = {
  iphone:
    'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Mobile/15E148 Safari/604.1',
  android:
    'Mozilla/5.0 (Linux; Android 15; Pixel 9) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Mobile Safari/537.36',
  windows:
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36',
  googlebot: 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)',
} as const
type Agent = keyof typeof AGENTS

interface Visit {
  /** Without one, this browser. */
  agent: Agent | ''
  country: string
  language: string
  time: string
}

const OWN_VISIT: Visit = { agent: '', country: '', language: '', time: '' }

const PRESETS = ['iphone', 'googlebot', 'monday'] as const

function presetVisit(preset: (typeof PRESETS)[number]): Visit {
  if (preset === 'iphone') return { ...OWN_VISIT, agent: 'iphone', country: 'SE', language: 'sv' }
  if (preset === 'googlebot') return { ...OWN_VISIT, agent: 'googlebot' }
  return { ...OWN_VISIT, time: `${nextMonday()}T09:00` }
}

/** The next Monday after today in the time zone of the page: `YYYY-MM-DD`. */
function nextMonday(): string {
  const today = dayOf(Date.now() / 1000, getTimeZone())
  const weekday = new Date(`${today}T00:00Z`).getUTCDay()
  return addDays(today, (8 - weekday) % 7 || 7)
}

/** Explains where the link leads a visitor, without counting a click (L27). */
export function TestPanel({ link }: { link: Link }) {
  const { t } = useText()
  const [visit, setVisit] = useState<Visit>(() => presetVisit('iphone'))
  const at = fromField(visit.time)
  const { data, error, refetch } = useCall('links', 'explainLink', {
    params: { id: link.id },
    query: {
      ...(visit.agent !== '' && { user_agent: AGENTS[visit.agent] }),
      ...(visit.country !== '' && { country: visit.country }),
      ...(visit.language !== '' && { language: visit.language }),
      ...(at !== null && { at }),
    },
  })
  return (
    <Stack gap="md" ref={focusFirstField}>
      <Group gap="xs" role="group" aria-label={t('behaviour.presets')}>
        {PRESETS.map((preset) => (
          <Button
            key={preset}
            size="compact-sm"
            variant="default"
            onClick={() => setVisit(presetVisit(preset))}
          >
            {t(`behaviour.preset.${preset}`)}
          </Button>
        ))}
      </Group>
      <VisitFields visit={visit} change={(changes) => setVisit({ ...visit, ...changes })} />
      {error && !data && <ReadError error={error} onRetry={() => void refetch()} />}
      {!error && !data && <Skeleton height={120} />}
      {data && <Trace explanation={data.body} />}
      <Text size="xs" c="dimmed">
        {t('behaviour.testHelp')}
      </Text>
    </Stack>
  )
}

interface FieldProps {
  visit: Visit
  change: (changes: Partial<Visit>) => void
}

function VisitFields({ visit, change }: FieldProps) {
  const { t, language } = useText()
  const nameOf = countryNames(language)
  const { compare } = new Intl.Collator(language)
  const countries = [...ISO_COUNTRIES]
    .map((value) => ({ value, label: nameOf(value) }))
    .toSorted((a, b) => compare(a.label, b.label))
  return (
    <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm" verticalSpacing="sm">
      <NativeSelect
        label={t('behaviour.visitor')}
        value={visit.agent}
        onChange={({ currentTarget }) => change({ agent: currentTarget.value as Visit['agent'] })}
        data={[
          { value: '', label: t('behaviour.thisBrowser') },
          { value: 'iphone', label: 'iPhone' },
          { value: 'android', label: 'Android' },
          { value: 'windows', label: 'Windows' },
          { value: 'googlebot', label: 'Googlebot' },
        ]}
      />
      <NativeSelect
        label={t('behaviour.condition.country')}
        value={visit.country}
        onChange={({ currentTarget }) => change({ country: currentTarget.value })}
        data={[{ value: '', label: t('behaviour.yours') }, ...countries]}
      />
      <TextInput
        label={t('behaviour.condition.language')}
        placeholder={t('behaviour.yours')}
        autoComplete="off"
        value={visit.language}
        onChange={({ currentTarget }) => change({ language: currentTarget.value })}
      />
      <TextInput
        label={t('behaviour.time')}
        description={visit.time === '' ? t('behaviour.now') : zoneOfField(visit.time, language)}
        inputWrapperOrder={['label', 'input', 'description', 'error']}
        type="datetime-local"
        max={MAX_DATE_TIME}
        value={visit.time}
        onChange={({ currentTarget }) => change({ time: currentTarget.value })}
      />
    </SimpleGrid>
  )
}
