import { useEffect, useRef } from 'react'

interface Props {
  /** A stream of a peer, or a track of this device. */
  source: MediaStream | MediaStreamTrack
  label: string
  isMirrored?: boolean
}

/** Moving picture without sound: the engine plays that. */
export function Video({ source, label, isMirrored = false }: Props) {
  const element = useRef<HTMLVideoElement>(null)
  useEffect(() => {
    const video = element.current
    if (!video) return undefined
    video.srcObject = source instanceof MediaStream ? source : new MediaStream([source])
    void video.play().catch(() => {})
    return () => {
      video.srcObject = null
    }
  }, [source])
  return (
    <video
      ref={element}
      className="call-video"
      aria-label={label}
      data-mirrored={isMirrored || undefined}
      muted
      playsInline
    />
  )
}
