import { useEffect } from 'react'
import type { CallSession } from '../call-session.ts'
import { type Shortcut, shortcutOf } from './shortcuts.ts'

/** Elements in which the space bar writes or chooses. */
const WITH_SPACE =
  'input, textarea, select, a, summary, video, [contenteditable], [role=option], [role=menuitem]'

/** The keys of a call: its shortcuts, and the space bar, which is held to talk. */
export function useCallKeys(session: CallSession): void {
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      const shortcut = shortcutOf(event)
      // The others are for a call that waits for an answer.
      if (!shortcut || !isInCall(shortcut) || session.state().phase !== 'in') return
      event.preventDefault()
      if (!event.repeat) toggle(session, shortcut)
    }
    addEventListener('keydown', onKeyDown)
    return () => removeEventListener('keydown', onKeyDown)
  }, [session])
  usePushToTalk(session)
}

const isInCall = (shortcut: Shortcut) => shortcut !== 'answer' && shortcut !== 'decline'

function toggle(session: CallSession, shortcut: Shortcut): void {
  const { own, grants } = session.state()
  if (shortcut === 'hand') void session.setHand(!own.hand)
  else if (shortcut === 'microphone' && grants.audio) void session.setMicrophone(!own.audio)
  else if (shortcut === 'camera' && grants.camera) void session.setCamera(!own.camera)
}

/** The space bar turns the microphone on for as long as it is held. */
function usePushToTalk(session: CallSession): void {
  useEffect(() => {
    let isTalking = false
    /** The button that was pressed with a pointer, and has kept the focus: not for the space bar. */
    let pressed: Element | null = null
    const onPointerDown = ({ target }: PointerEvent) => {
      pressed = target instanceof Element ? target.closest('button') : null
    }
    const isTaken = (target: EventTarget | null) => {
      if (!(target instanceof Element)) return false
      const button = target.closest('button')
      return target.closest(WITH_SPACE) !== null || (button !== null && button !== pressed)
    }
    const onKeyDown = (event: KeyboardEvent) => {
      const { code, target, ctrlKey, altKey, metaKey } = event
      // From now on the keyboard moves the focus.
      if (code === 'Tab') pressed = null
      const { own, grants, phase } = session.state()
      if (code !== 'Space' || ctrlKey || altKey || metaKey || isTaken(target)) return
      if (phase !== 'in' || !grants.audio || (own.audio && !isTalking)) return
      // The page would scroll.
      event.preventDefault()
      if (isTalking) return
      isTalking = true
      void session.setMicrophone(true)
    }
    const stop = () => {
      if (!isTalking) return
      isTalking = false
      void session.setMicrophone(false)
    }
    const onKeyUp = (event: KeyboardEvent) => {
      if (event.code !== 'Space' || !isTalking) return
      // A button that has the focus would be pressed.
      event.preventDefault()
      stop()
    }
    addEventListener('pointerdown', onPointerDown)
    addEventListener('keydown', onKeyDown)
    addEventListener('keyup', onKeyUp)
    addEventListener('blur', stop)
    return () => {
      removeEventListener('pointerdown', onPointerDown)
      removeEventListener('keydown', onKeyDown)
      removeEventListener('keyup', onKeyUp)
      removeEventListener('blur', stop)
    }
  }, [session])
}
