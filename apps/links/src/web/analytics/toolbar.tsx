import { getTimeZone, momentFormat } from '@latchkey/web/formats'
import { Button, Group, NativeSelect, Popover, Stack, TextInput } from '@mantine/core'
import { IconDownload } from '@latchkey/web/icons'
import { useState } from 'react'
import type { Range } from '../../time/ranges.ts'
import { addressOf } from '../call.ts'
import { RangePicker } from '../parts/range.tsx'
import { useText } from '../texts/text.ts'
import { dayOf, endOfDay, startOfDay } from './days.ts'
import { type Subject, queryOf } from './use-analytics.ts'
import type { ViewControls } from './use-view.ts'
import { type Comparison, type TimeWindow, comparisons } from './view.ts'

interface Props extends Pick<ViewControls, 'view' | 'change'> {
  /** The range of the statistics, which may be the user's default. */
  range: Range | null | undefined
  subject: Subject | undefined
}

/** Range or custom dates, and the window to compare with. */
export function Toolbar({ view, change, range, subject }: Props) {
  const { t } = useText()
  const selected = view.window ? undefined : (view.range ?? range ?? undefined)
  return (
    <Group gap="sm">
      <RangePicker value={selected} onChange={(next) => change({ range: next, window: undefined })} />
      <CustomDates view={view} change={change} />
      <NativeSelect
        aria-label={t('analytics.compare')}
        size="xs"
        data={comparisons.map((name) => ({ value: name, label: t(`analytics.compare.${name}`) }))}
        value={selected === 'all' ? 'none' : view.compare}
        disabled={selected === 'all'}
        onChange={({ currentTarget }) => change({ compare: currentTarget.value as Comparison })}
      />
      <Button
        component="a"
        href={addressOf('exportAnalyticsClicks', { query: queryOf(view, subject) })}
        download
        size="xs"
        variant="default"
        ml="auto"
        leftSection={<IconDownload size={15} aria-hidden />}
      >
        {t('analytics.clicksCsv')}
      </Button>
    </Group>
  )
}

function CustomDates({ view, change }: Pick<Props, 'view' | 'change'>) {
  const { t } = useText()
  const [isOpen, setIsOpen] = useState(false)
  const name = useWindowName()
  return (
    <Popover opened={isOpen} onChange={setIsOpen} trapFocus returnFocus position="bottom-start" withinPortal>
      <Popover.Target>
        <Button size="xs" variant={view.window ? 'light' : 'default'} onClick={() => setIsOpen(!isOpen)}>
          {view.window ? name(view.window) : t('range.custom')}
        </Button>
      </Popover.Target>
      <Popover.Dropdown>
        <DateForm
          window={view.window}
          onApply={(window) => {
            setIsOpen(false)
            change({ window, range: undefined })
          }}
        />
      </Popover.Dropdown>
    </Popover>
  )
}

/** Formats a custom window: its days, with times unless it consists of whole days. */
function useWindowName(): (window: TimeWindow) => string {
  const { language } = useText()
  return ({ from, to }) => {
    const timeZone = getTimeZone()
    const [first, last] = [dayOf(from, timeZone), dayOf(to, timeZone)]
    const isWhole = from === startOfDay(first, timeZone) && to === endOfDay(last, timeZone)
    const format = momentFormat(language, {
      day: 'numeric',
      month: 'short',
      year: 'numeric',
      ...(!isWhole && { hour: '2-digit', minute: '2-digit' }),
    })
    return format.formatRange(from * 1000, to * 1000)
  }
}

const DAY_SECONDS = 86_400
const WEEK_SECONDS = 7 * DAY_SECONDS

/** Native date fields: browsers have a calendar for them that works by keyboard and by touch. */
function DateForm({
  window,
  onApply,
}: {
  window: TimeWindow | undefined
  onApply: (window: TimeWindow) => void
}) {
  const { t } = useText()
  const now = Date.now() / 1000
  const timeZone = getTimeZone()
  const today = dayOf(now, timeZone)
  const [first, setFirst] = useState(dayOf(window?.from ?? now - WEEK_SECONDS + DAY_SECONDS, timeZone))
  const [last, setLast] = useState(dayOf(Math.min(window?.to ?? now, now), timeZone))
  const isValid = first !== '' && last !== '' && first <= last && first <= today
  return (
    <Stack
      component="form"
      gap="md"
      onSubmit={(event) => {
        event.preventDefault()
        if (isValid) onApply({ from: startOfDay(first, timeZone), to: endOfDay(last, timeZone) })
      }}
    >
      <TextInput
        type="date"
        label={t('range.from')}
        value={first}
        max={today}
        onChange={({ currentTarget }) => setFirst(currentTarget.value)}
      />
      <TextInput
        type="date"
        label={t('range.to')}
        value={last}
        max={today}
        error={first > last && last !== '' && t('range.backwards')}
        onChange={({ currentTarget }) => setLast(currentTarget.value)}
      />
      <Button type="submit" disabled={!isValid}>
        {t('range.apply')}
      </Button>
    </Stack>
  )
}
