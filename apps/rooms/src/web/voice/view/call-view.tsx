import { useMediaQuery } from '@mantine/hooks'
import { useEffect, useState, useSyncExternalStore } from 'react'
import type { RoomStore } from '../../live/room-store.ts'
import type { User } from '../../session.ts'
import { useText } from '../../texts/text.ts'
import type { CallSession } from '../call-session.ts'
import { CallLines } from './call-lines.tsx'
import { Controls } from './controls.tsx'
import { FailureNotice } from './failure-notice.tsx'
import { type NameOf, useNames } from './names.ts'
import { PictureInPicture } from './picture-in-picture.tsx'
import { Stage } from './stage.tsx'
import { useArea } from './tile-grid.tsx'
import { useCallees } from './use-callees.ts'
import { useCallKeys } from './use-call-keys.ts'
import { usePictureInPicture } from './use-picture-in-picture.ts'
import { useVisibleHeight } from './use-visible-height.ts'
import { type Arrangement, type Extent, ViewControls } from './view-controls.tsx'

interface Props {
  user: User
  store: RoomStore
  session: CallSession
  mayModerate: boolean
}

/** Pixels of height below which a window has space for the controls of a call only. */
const LOW = 560

/** Pixels below which only the most needed buttons have a place of their own. */
const NARROW = 640

/** The call of a room: its people, their screens, and the controls of the user. */
export function CallView(props: Props) {
  const { t } = useText()
  const { phase, failure } = useSyncExternalStore(props.session.watch, props.session.state)
  const [extent, setExtent] = useState<Extent>('partial')
  const isAbove = useMediaQuery('(width < 75em)', undefined, { getInitialValueInEffect: false })
  const isLow = useVisibleHeight() < LOW
  const [section, { width }] = useArea()
  const nameOf = useNames(props.store)
  useCallKeys(props.session)
  useEffect(() => takeFocus(section.current), [])
  const hasFailed = phase === 'failed'
  return (
    <section
      ref={section}
      className="call"
      aria-label={t('call.title')}
      tabIndex={-1}
      data-expanded={(extent === 'full' && !hasFailed) || undefined}
      data-folded={(isAbove && (extent === 'folded' || isLow)) || undefined}
      data-failed={hasFailed || undefined}
    >
      {(failure ?? hasFailed) && <FailureNotice session={props.session} failure={failure ?? 'failed'} />}
      {!hasFailed && (
        <Call
          {...props}
          nameOf={nameOf}
          extent={extent}
          onExtent={setExtent}
          isAbove={isAbove}
          mayFold={isAbove && !isLow}
          isNarrow={width > 0 && width < NARROW}
        />
      )}
    </section>
  )
}

interface CallProps extends Omit<Props, 'store'> {
  nameOf: NameOf
  extent: Extent
  onExtent: (extent: Extent) => void
  isAbove: boolean
  mayFold: boolean
  isNarrow: boolean
}

function Call({ user, session, mayModerate, nameOf, extent, isAbove, isNarrow, ...view }: CallProps) {
  const [arrangement, setArrangement] = useState<Arrangement>('grid')
  const [pinned, setPinned] = useState<string>()
  const speaker = useSpeaker(session)
  const picture = usePictureInPicture()
  const callees = useCallees(session)
  const people = { user, session, nameOf }
  return (
    <>
      <Stage
        {...people}
        callees={callees}
        mayModerate={mayModerate}
        isAbove={isAbove && extent !== 'full'}
        featured={arrangement === 'grid' ? undefined : (pinned ?? speaker)}
        onFeature={(id) => {
          setPinned(id)
          setArrangement(id === undefined ? 'grid' : 'speaker')
        }}
      />
      <CallLines session={session} own={user.nickname} nameOf={nameOf} callees={callees} />
      <Controls session={session} isNarrow={isNarrow}>
        <ViewControls
          session={session}
          arrangement={arrangement}
          onArrange={(next) => {
            setPinned(undefined)
            setArrangement(next)
          }}
          {...view}
          extent={extent}
          onPictureInPicture={picture.toggle}
          isNarrow={isNarrow}
        />
      </Controls>
      {picture.window && <PictureInPicture {...people} speaker={speaker} into={picture.window} />}
    </>
  )
}

/** Connection that spoke last, or else joined first. Undefined without others. */
function useSpeaker(session: CallSession): string | undefined {
  const { speaking, peers } = useSyncExternalStore(session.watch, session.state)
  const [last, setLast] = useState<string>()
  const speaker = [...speaking].find((id) => id !== 'own')
  useEffect(() => {
    if (speaker !== undefined) setLast(speaker)
  }, [speaker])
  const isHere = peers.some(({ connectionId }) => connectionId === last)
  return isHere ? last : peers[0]?.connectionId
}

/** Moves the focus to the call while the button that joined is missing, and back to it afterwards. */
function takeFocus(section: HTMLElement | null): () => void {
  if (isFocusLost()) section?.focus({ preventScroll: true })
  return () =>
    // Preact removes the elements only after this.
    queueMicrotask(() => {
      const button = document.querySelector('.call-button') ?? document.querySelector('main h1')
      if (isFocusLost() && button instanceof HTMLElement) button.focus({ preventScroll: true })
    })
}

/** The button that joins is disabled before it is removed, and may have the focus until the page is painted. */
const isFocusLost = () =>
  document.activeElement === document.body || (document.activeElement?.matches(':disabled') ?? true)
