import type { RemoteVideoTrack } from 'livekit-client'

type PictureWindows = EventTarget & { readonly window: Window | null }

/**
 * Pictures that are received. LiveKit learns which video elements play each of them, and sends it
 * in their size, and not at all while none is visible.
 */
export class Pictures {
  readonly #streams = new Map<RemoteVideoTrack, MediaStream>()
  /** Windows above all others, of browsers that have them. Elements in one are in its document. */
  readonly #windows = (window as { documentPictureInPicture?: PictureWindows }).documentPictureInPicture
  readonly #onWindow = () => this.#windows?.window?.document.addEventListener('play', this.#onPlay, true)

  constructor() {
    document.addEventListener('play', this.#onPlay, true)
    this.#windows?.addEventListener('enter', this.#onWindow)
    this.#onWindow()
  }

  /** The stream for video elements, the same at each call. */
  streamOf(track: RemoteVideoTrack): MediaStream {
    const existing = this.#streams.get(track)
    if (existing) return existing
    const stream = new MediaStream([track.mediaStreamTrack])
    this.#streams.set(track, stream)
    return stream
  }

  /** LiveKit has no more pictures of this track. */
  remove(track: RemoteVideoTrack): void {
    this.#streams.delete(track)
  }

  close(): void {
    document.removeEventListener('play', this.#onPlay, true)
    this.#windows?.removeEventListener('enter', this.#onWindow)
    this.#windows?.window?.document.removeEventListener('play', this.#onPlay, true)
  }

  readonly #onPlay = ({ target }: Event): void => {
    const element = target as HTMLMediaElement
    for (const [track, stream] of this.#streams) {
      for (const attached of track.attachedElements) if (!attached.isConnected) track.detach(attached)
      if (element.srcObject === stream) track.attach(element)
    }
  }
}
