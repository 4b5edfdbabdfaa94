import { getTimeZone } from '@latchkey/web/formats'
import { addDays, dayOf } from '../analytics/days.ts'

export const EXPIRY_PRESETS = ['tomorrow', 'week', 'month'] as const
export type ExpiryPreset = (typeof EXPIRY_PRESETS)[number]

/**
 * The end of the day that a preset names in the time zone of the page, as the value of a
 * `datetime-local` field.
 */
export function presetField(preset: ExpiryPreset, nowMs = Date.now()): string {
  const today = dayOf(nowMs / 1000, getTimeZone())
  const [year = 0, month = 1] = today.split('-').map(Number)
  const days = {
    tomorrow: addDays(today, 1),
    week: addDays(today, 7),
    month: new Date(Date.UTC(year, month, 0)).toISOString().slice(0, 10),
  }
  return `${days[preset]}T23:59`
}
