import { NativeSelect } from '@mantine/core'
import { browserTimeZone, changeTimeZone, momentFormat } from '@latchkey/web/formats'
import { useEffect, useState } from 'react'
import { zoneName } from '../../parts/time-zone.ts'
import { useText } from '../../texts/text.ts'
import { type Settings, useSaving } from './saving.ts'
import { SaveStatus } from './section.tsx'
import { zonesByRegion } from './zones.ts'

/** A native list of some 400 names. Typing the beginning of a city finds it. */
export function OwnTimeZone({ time_zone }: Pick<Settings, 'time_zone'>) {
  const { t, language, failure } = useText()
  const saving = useSaving((settings) => changeTimeZone(settings.time_zone))
  const now = Date.now()
  const clock = momentFormat(language, { timeStyle: 'short' }).format(now)
  const { regions, others } = zonesByRegion(time_zone)
  // The names are a third of the time in which the page renders, and needed only in the open list.
  const [isComplete, setComplete] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setComplete(true), 200)
    return () => clearTimeout(timer)
  }, [])
  return (
    <SaveStatus saving={saving}>
      <NativeSelect
        label={t('settings.timeZone')}
        description={t('settings.timeZoneHelp', { time: `${clock} ${zoneName(language, now / 1000)}` })}
        error={saving.error && failure(saving.error)}
        inputWrapperOrder={['label', 'input', 'description', 'error']}
        value={time_zone ?? ''}
        onChange={({ currentTarget }) => saving.save({ time_zone: currentTarget.value || null })}
        data={[
          { value: '', label: t('settings.timeZoneAuto', { zone: browserTimeZone }) },
          ...(isComplete
            ? [
                ...others.map((value) => ({ value, label: value })),
                ...regions.map(({ region, zones }) => ({
                  group: t(`settings.region.${region}`),
                  items: zones,
                })),
              ]
            : time_zone === null
              ? []
              : [time_zone]),
        ]}
      />
    </SaveStatus>
  )
}
