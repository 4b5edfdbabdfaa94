import { useText } from '../texts/text.ts'
import { deviceOf } from './device.ts'

/** What a session is used with, in words. */
export function useDevice(userAgent: string): string {
  const { t } = useText()
  const device = deviceOf(userAgent)
  if (!device) return t('account.unknownDevice')
  const { browser, system } = device
  return system === undefined ? browser : t('account.deviceOn', { browser, system })
}
