import { Button, NativeSelect } from '@mantine/core'
import { type ReactNode, useEffect, useState } from 'react'
import { useText } from '../../texts/text.ts'
import type { DeviceKind } from '../own-media.ts'
import type { CallChoices } from '../stored-choices.ts'
import { CameraTest, MicrophoneTest } from './device-test.tsx'
import { playTestSound } from './test-sound.ts'

const KINDS = { microphone: 'audioinput', camera: 'videoinput', speaker: 'audiooutput' } as const

interface Props {
  hasMicrophone: boolean
  hasCamera: boolean
  choices: CallChoices
  onChoose: (kind: DeviceKind | 'speaker', deviceId: string) => void
  /** Below the picture. */
  children?: ReactNode
}

/** Choice and test of camera, microphone and speaker. */
export function DeviceSettings({ hasMicrophone, hasCamera, choices, onChoose, children }: Props) {
  const { t } = useText()
  const [devices, refresh] = useDevices()
  const choiceOf = (kind: keyof typeof KINDS) => (
    <DeviceChoice
      kind={kind}
      devices={devices}
      chosen={choices[kind]}
      onChoose={(deviceId) => onChoose(kind, deviceId)}
    />
  )
  return (
    <div className="call-devices">
      <div className="call-device-column">
        {hasCamera && <CameraTest deviceId={choices.camera} onOpen={refresh} />}
        {children}
      </div>
      <div className="call-device-column">
        {hasCamera && choiceOf('camera')}
        {hasMicrophone && (
          <>
            {choiceOf('microphone')}
            <MicrophoneTest deviceId={choices.microphone} onOpen={refresh} />
          </>
        )}
        {'setSinkId' in HTMLMediaElement.prototype && choiceOf('speaker')}
        <Button variant="default" size="compact-sm" onClick={() => void playTestSound(choices.speaker)}>
          {t('call.testSound')}
        </Button>
      </div>
    </div>
  )
}

/** Devices of this machine. They have names only after the user has allowed one. */
function useDevices(): readonly [readonly MediaDeviceInfo[], () => void] {
  const [devices, setDevices] = useState<readonly MediaDeviceInfo[]>([])
  const refresh = () => void navigator.mediaDevices?.enumerateDevices().then(setDevices, () => {})
  useEffect(() => {
    refresh()
    navigator.mediaDevices?.addEventListener('devicechange', refresh)
    return () => navigator.mediaDevices?.removeEventListener('devicechange', refresh)
  }, [])
  return [devices, refresh]
}

interface DeviceChoiceProps {
  kind: keyof typeof KINDS
  devices: readonly MediaDeviceInfo[]
  chosen: string | undefined
  onChoose: (deviceId: string) => void
}

function DeviceChoice({ kind, devices, chosen, onChoose }: DeviceChoiceProps) {
  const { t } = useText()
  const options = devices
    .filter(
      (device) => device.kind === KINDS[kind] && device.deviceId !== '' && device.deviceId !== 'default',
    )
    .map(({ deviceId, label }) => ({ value: deviceId, label: label || deviceId.slice(0, 8) }))
  return (
    <NativeSelect
      label={t(`call.${kind}`)}
      value={chosen ?? ''}
      data={[{ value: '', label: t('call.default') }, ...options]}
      onChange={({ currentTarget: { value } }) => onChoose(value)}
    />
  )
}
