import { Button } from '@mantine/core'
import { IconPhone } from '@latchkey/web/icons'
import { showError } from '@latchkey/web/toast'
import { useState, useSyncExternalStore } from 'react'
import type { RoomStore } from '../../live/room-store.ts'
import type { Room } from '../../pages/room/room.ts'
import { useText } from '../../texts/text.ts'
import { joinCall } from '../current-call.ts'
import { JoinDevices } from './join-devices.tsx'

/** Number of people in the call of a room. */
const countInCall = (store: RoomStore) =>
  [...store.state().present.values()].filter(({ voice }) => voice !== null).length

/** On a phone, the header has no space for the button of devices; the call has one. */
const isPhone = () => matchMedia('(width < 48em) and (pointer: coarse)').matches

/** Joins the call of a room with one press, with the microphone off. Before it, the devices. */
export default function JoinButtons({ room, store }: { room: Room; store: RoomStore }) {
  const { t, number } = useText()
  const [isJoining, setJoining] = useState(false)
  const count = useSyncExternalStore(store.watch, () => countInCall(store))
  const label = t(count > 0 ? 'room.call.join' : 'room.call.start')
  const join = async () => {
    setJoining(true)
    // At the same time as the engine.
    void import('./load.ts').then(({ loadCallView }) => loadCallView()).catch(() => {})
    try {
      await joinCall(room)
    } catch {
      showError(t('page.error'))
      setJoining(false)
    }
  }
  return (
    <>
      {!isPhone() && <JoinDevices room={room} />}
      <Button
        className="call-button"
        size="compact-sm"
        variant={count > 0 ? 'filled' : 'light'}
        leftSection={<IconPhone size={15} aria-hidden />}
        loading={isJoining}
        onClick={() => void join()}
        aria-label={count > 0 ? `${label}, ${t('room.call.people', { count })}` : label}
        data-tooltip={label}
      >
        <span className="call-button-label">{label}</span>
        {count > 0 && <span className="figure"> {number(count)}</span>}
      </Button>
    </>
  )
}
