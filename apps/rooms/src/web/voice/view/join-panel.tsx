import { useState } from 'react'
import type { Room } from '../../pages/room/room.ts'
import { readChoices, storeChoices } from '../stored-choices.ts'
import { DeviceSettings } from './device-settings.tsx'

/** Choice and test of the devices before joining the call of a room. */
export function JoinPanel({ room }: { room: Room }) {
  const [choices, setChoices] = useState(readChoices)
  return (
    <DeviceSettings
      hasMicrophone
      hasCamera={room.voice === 'video'}
      choices={choices}
      onChoose={(kind, deviceId) => {
        storeChoices({ [kind]: deviceId })
        setChoices(readChoices())
      }}
    />
  )
}
