import { useText } from '../texts/text.ts'
import { deviceOf } from './device.ts'

/** Text for the device of a session. */
export function useDevice(userAgent: string): string {
  const { t } = useText()
  const device = deviceOf(userAgent)
  if (!device) return t('account.unknownDevice')
  const { browser, system } = device
  return system === undefined ? browser : t('account.deviceOn', { browser, system })
}
