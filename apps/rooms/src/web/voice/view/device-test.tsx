import { Button } from '@mantine/core'
import { useEffect, useState } from 'react'
import { useText } from '../../texts/text.ts'
import { MicrophoneLevel } from '../microphone-level.ts'
import { type DeviceKind, MediaFailure, openDevice } from '../own-media.ts'
import type { CallFailure } from '../call-snapshot.ts'
import { Video } from './video.tsx'

interface TestProps {
  deviceId: string | undefined
  /** The user has allowed the device, so it has a name now. */
  onOpen: () => void
}

/** Opens a device for as long as it is tested, and another one when the user chooses it. */
function useTest(kind: DeviceKind, { deviceId, onOpen }: TestProps) {
  const [isOn, setOn] = useState(false)
  const [track, setTrack] = useState<MediaStreamTrack | null>(null)
  const [failure, setFailure] = useState<CallFailure | null>(null)
  useEffect(() => void isAllowed(kind).then((allowed) => allowed && setOn(true)), [])
  useEffect(() => {
    if (!isOn) return undefined
    const opening = openDevice(kind, deviceId)
    let isOver = false
    void (async () => {
      try {
        const opened = await opening
        if (isOver) return
        setTrack(opened)
        setFailure(null)
        onOpen()
      } catch (error) {
        setFailure(error instanceof MediaFailure ? error.code : 'failed')
        setOn(false)
      }
    })()
    return () => {
      isOver = true
      setTrack(null)
      void opening.then((opened) => opened.stop()).catch(() => {})
    }
  }, [isOn, deviceId])
  return { track, failure, start: () => setOn(true) }
}

/** Whether the user has allowed the device before, so that opening it asks nothing. */
async function isAllowed(kind: DeviceKind): Promise<boolean> {
  try {
    const { state } = await navigator.permissions.query({ name: kind })
    return state === 'granted'
  } catch {
    // The browser does not say.
    return false
  }
}

export function MicrophoneTest(props: TestProps) {
  const { t } = useText()
  const { track, failure, start } = useTest('microphone', props)
  const level = useLevel(track)
  if (!track) return <TestButton label={t('call.testMicrophone')} failure={failure} onClick={start} />
  return <meter className="call-level" aria-label={t('call.level')} min={0} max={0.3} value={level} />
}

function useLevel(track: MediaStreamTrack | null): number {
  const [value, setValue] = useState(0)
  useEffect(() => {
    if (!track) return undefined
    const level = new MicrophoneLevel()
    level.follow(track)
    const timer = setInterval(() => setValue(level.read()), 100)
    return () => {
      clearInterval(timer)
      level.stop()
    }
  }, [track])
  return value
}

export function CameraTest(props: TestProps) {
  const { t } = useText()
  const { track, failure, start } = useTest('camera', props)
  return (
    <div className="call-preview">
      {track ? (
        <Video source={track} label={t('call.preview')} isMirrored />
      ) : (
        <TestButton label={t('call.testCamera')} failure={failure} onClick={start} />
      )}
    </div>
  )
}

interface TestButtonProps {
  label: string
  failure: CallFailure | null
  onClick: () => void
}

function TestButton({ label, failure, onClick }: TestButtonProps) {
  const { t } = useText()
  return (
    <>
      <Button variant="default" size="compact-sm" onClick={onClick}>
        {label}
      </Button>
      {failure && (
        <p className="call-test-failure" role="alert">
          {t(`call.failure.${failure}`)}
        </p>
      )}
    </>
  )
}
