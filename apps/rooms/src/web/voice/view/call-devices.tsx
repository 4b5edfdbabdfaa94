import { useSyncExternalStore } from 'react'
import { useText } from '../../texts/text.ts'
import type { CallSession } from '../call-session.ts'
import { DeviceSettings } from './device-settings.tsx'
import { shortcutText } from './shortcuts.ts'

/** Devices and keys of the call that the user is in. */
export function CallDevices({ session }: { session: CallSession }) {
  const { grants } = useSyncExternalStore(session.watch, session.state)
  return (
    <DeviceSettings
      hasMicrophone={grants.audio}
      hasCamera={grants.camera}
      choices={session.choices}
      onChoose={(kind, deviceId) => void session.choose(kind, deviceId)}
    >
      <Keys hasMicrophone={grants.audio} hasCamera={grants.camera} />
    </DeviceSettings>
  )
}

function Keys({ hasMicrophone, hasCamera }: { hasMicrophone: boolean; hasCamera: boolean }) {
  const { t } = useText()
  const keys: (readonly [what: string, keys: string])[] = [[t('call.keys.hand'), shortcutText('hand')]]
  if (hasCamera) keys.unshift([t('call.camera'), shortcutText('camera')])
  if (hasMicrophone)
    keys.unshift(
      [t('call.keys.talk'), t('call.keys.space')],
      [t('call.microphone'), shortcutText('microphone')],
    )
  return (
    <dl className="call-keys call-space" aria-label={t('call.keys')}>
      {keys.map(([what, combination]) => (
        <div key={what}>
          <dt>{what}</dt>
          <dd>
            <kbd>{combination}</kbd>
          </dd>
        </div>
      ))}
    </dl>
  )
}
