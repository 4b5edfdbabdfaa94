import { toField } from '../pages/link/moment.ts'

export const EXPIRY_PRESETS = ['tomorrow', 'week', 'month'] as const
export type ExpiryPreset = (typeof EXPIRY_PRESETS)[number]

/** The end of the day that a preset names, as the value of a `datetime-local` field. */
export function presetField(preset: ExpiryPreset, now = new Date()): string {
  const days = { tomorrow: now.getDate() + 1, week: now.getDate() + 7, month: 0 }
  const month = now.getMonth() + (preset === 'month' ? 1 : 0)
  return toField(new Date(now.getFullYear(), month, days[preset], 23, 59).getTime() / 1000)
}
