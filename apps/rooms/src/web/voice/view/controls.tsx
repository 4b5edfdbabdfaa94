import { IconMicrophone, IconMicrophoneOff } from '@latchkey/web/icons'
import { type KeyboardEvent, type ReactNode, useState, useSyncExternalStore } from 'react'
import { CallPopover, Control } from './control.tsx'
import {
  IconHandStop,
  IconPhoneOff,
  IconScreenShare,
  IconScreenShareOff,
  IconVideo,
  IconVideoOff,
} from './icons.ts'
import { useText } from '../../texts/text.ts'
import type { CallSession } from '../call-session.ts'
import { ScreenChoice } from './screen-choice.tsx'

interface Props {
  session: CallSession
  isNarrow: boolean
  /** How the call is displayed. */
  children: ReactNode
}

/** What the user does in the call, in the middle, or at the end of a narrow row. */
export function Controls({ session, isNarrow, children }: Props) {
  const { t } = useText()
  return (
    <div
      className="call-controls"
      role="toolbar"
      aria-label={t('call.title')}
      data-narrow={isNarrow || undefined}
      onKeyDown={moveFocus}
    >
      {isNarrow && children}
      <div className="call-main">
        <OwnControls session={session} />
        <Control
          className="call-leave"
          label={t('call.leave')}
          icon={IconPhoneOff}
          onClick={() => session.leave()}
        />
      </div>
      {!isNarrow && children}
    </div>
  )
}

/** Arrow keys move the focus within the toolbar, as in others. */
function moveFocus({ key, currentTarget }: KeyboardEvent<HTMLElement>): void {
  const step = { ArrowRight: 1, ArrowLeft: -1 }[key]
  const buttons = [...currentTarget.querySelectorAll('button')]
  const at = buttons.indexOf(document.activeElement as HTMLButtonElement)
  if (step !== undefined && at >= 0) buttons.at((at + step) % buttons.length)?.focus()
}

/** Microphone, camera, screen and hand. */
function OwnControls({ session }: { session: CallSession }) {
  const { t } = useText()
  const { own, grants } = useSyncExternalStore(session.watch, session.state)
  return (
    <>
      {grants.audio && (
        <Control
          label={t(own.audio ? 'call.microphoneOff' : 'call.microphoneOn')}
          icon={own.audio ? IconMicrophone : IconMicrophoneOff}
          isOn={own.audio}
          shortcut="microphone"
          onClick={() => void session.setMicrophone(!own.audio)}
        />
      )}
      {grants.camera && (
        <Control
          label={t(own.camera ? 'call.cameraOff' : 'call.cameraOn')}
          icon={own.camera ? IconVideo : IconVideoOff}
          isOn={own.camera}
          shortcut="camera"
          onClick={() => void session.setCamera(!own.camera)}
        />
      )}
      {grants.screen && mayCapture() && <ScreenControl session={session} isOn={own.screen} />}
      <Control
        className="call-raise"
        label={t(own.hand ? 'call.handDown' : 'call.handUp')}
        icon={IconHandStop}
        isOn={own.hand}
        shortcut="hand"
        onClick={() => void session.setHand(!own.hand)}
      />
    </>
  )
}

/** Phones share no screens. Without https, the press says why nothing is shared. */
const mayCapture = () => !('mediaDevices' in navigator) || 'getDisplayMedia' in navigator.mediaDevices

function ScreenControl({ session, isOn }: { session: CallSession; isOn: boolean }) {
  const { t } = useText()
  const [isOpen, setOpen] = useState(false)
  const stop = {
    label: t('call.shareStop'),
    icon: IconScreenShareOff,
    onPress: () => void session.setScreen(false),
  }
  return (
    <CallPopover
      label={t('call.share')}
      icon={IconScreenShare}
      isOpen={isOpen}
      onOpen={setOpen}
      off={isOn ? stop : undefined}
    >
      <ScreenChoice
        onChoose={(detail) => {
          setOpen(false)
          void session.setScreen(true, detail)
        }}
      />
    </CallPopover>
  )
}
