import type { Tracks } from './sources.ts'

/** Why a device cannot be used. */
export type MediaFailureCode = 'insecure' | 'policy' | 'permission' | 'noDevice' | 'busy'

export class MediaFailure extends Error {
  readonly code: MediaFailureCode

  constructor(code: MediaFailureCode) {
    super(code)
    this.code = code
  }
}

/** The call ended before the device was open. */
export class MediaStopped extends Error {}

export type DeviceKind = 'microphone' | 'camera'

/** How a screen is sent: text stays readable, or motion stays fluent. */
export type ScreenDetail = 'sharp' | 'smooth'

const CAMERA = { width: { ideal: 640 }, height: { ideal: 360 }, frameRate: { ideal: 24, max: 30 } }

/** The microphone, camera and screen of this user, opened on first use. */
export class OwnMedia {
  readonly #devices: Partial<Record<DeviceKind, string>>
  readonly #tracks: Record<keyof Tracks, MediaStreamTrack | null> = {
    microphone: null,
    camera: null,
    screen: null,
    screenSound: null,
  }
  readonly #onScreenEnd: () => void
  /** Increased by `stop`: what is opened by then is closed at once. */
  #generation = 0

  /** `devices`: ids of the devices that the user chose. `onScreenEnd`: ended by the browser's own button. */
  constructor(devices: Partial<Record<DeviceKind, string>>, onScreenEnd: () => void) {
    this.#devices = { ...devices }
    this.#onScreenEnd = onScreenEnd
  }

  get tracks(): Tracks {
    return this.#tracks
  }

  /** Opens the device unless it is open. Throws `MediaFailure`. */
  async open(kind: DeviceKind): Promise<MediaStreamTrack> {
    const open = this.#tracks[kind]
    if (open?.readyState === 'live') return open
    const generation = this.#generation
    const track = await openDevice(kind, this.#devices[kind])
    this.#requireCurrent(generation, [track])
    this.#tracks[kind] = track
    return track
  }

  close(kind: DeviceKind): void {
    this.#tracks[kind]?.stop()
    this.#tracks[kind] = null
  }

  /** Uses another device from now on. Throws `MediaFailure`. */
  async choose(kind: DeviceKind, deviceId: string): Promise<void> {
    this.#devices[kind] = deviceId
    if (this.#tracks[kind] === null) return
    this.close(kind)
    await this.open(kind)
  }

  /** Asks the user for a screen. False if they chose none. Throws `MediaFailure`. */
  async openScreen(detail: ScreenDetail): Promise<boolean> {
    const generation = this.#generation
    const stream = await captureScreen(detail)
    if (!stream) return false
    this.#requireCurrent(generation, stream.getTracks())
    this.closeScreen()
    const [video, audio] = [stream.getVideoTracks()[0] ?? null, stream.getAudioTracks()[0] ?? null]
    if (video) video.contentHint = detail === 'sharp' ? 'detail' : 'motion'
    video?.addEventListener('ended', this.#onScreenEnd)
    this.#tracks.screen = video
    this.#tracks.screenSound = audio
    return video !== null
  }

  closeScreen(): void {
    for (const source of ['screen', 'screenSound'] as const) {
      this.#tracks[source]?.removeEventListener('ended', this.#onScreenEnd)
      this.#tracks[source]?.stop()
      this.#tracks[source] = null
    }
  }

  #requireCurrent(generation: number, tracks: readonly MediaStreamTrack[]): void {
    if (generation === this.#generation) return
    for (const track of tracks) track.stop()
    throw new MediaStopped()
  }

  stop(): void {
    this.#generation++
    this.close('microphone')
    this.close('camera')
    this.closeScreen()
  }
}

/** Opens a microphone or a camera. A chosen device that is missing is replaced. Throws `MediaFailure`. */
export async function openDevice(kind: DeviceKind, deviceId?: string): Promise<MediaStreamTrack> {
  // The default has no id.
  if (!deviceId) return openOne(kind, {})
  try {
    // Chromium prefers the default microphone to one that is not required.
    return await openOne(kind, { deviceId: { exact: deviceId } })
  } catch (error) {
    if (error instanceof MediaFailure && error.code === 'noDevice') return openOne(kind, {})
    throw error
  }
}

async function openOne(kind: DeviceKind, chosen: MediaTrackConstraints): Promise<MediaStreamTrack> {
  const stream = await capture(kind, (devices) =>
    devices.getUserMedia(
      kind === 'microphone'
        ? { audio: { ...chosen, echoCancellation: true, noiseSuppression: true, autoGainControl: true } }
        : { video: { ...chosen, ...CAMERA } },
    ),
  )
  const [track] = stream.getTracks()
  if (!track) throw new MediaFailure('noDevice')
  return track
}

async function captureScreen(detail: ScreenDetail): Promise<MediaStream | null> {
  const options = { video: { frameRate: detail === 'sharp' ? 10 : 30 }, audio: true }
  try {
    return await capture('display-capture', (devices) => devices.getDisplayMedia(options))
  } catch (error) {
    // The user closed the choice of the browser.
    if (error instanceof MediaFailure && error.code === 'permission') return null
    throw error
  }
}

const CODES: Readonly<Record<string, MediaFailureCode>> = {
  NotAllowedError: 'permission',
  SecurityError: 'permission',
  NotFoundError: 'noDevice',
  OverconstrainedError: 'noDevice',
  NotReadableError: 'busy',
  AbortError: 'busy',
}

/** Chromium says which features the policy of the page allows. */
type WithPolicy = Document & { featurePolicy?: { allowsFeature: (name: string) => boolean } }

async function capture(
  feature: DeviceKind | 'display-capture',
  open: (devices: MediaDevices) => Promise<MediaStream>,
): Promise<MediaStream> {
  // Only secure pages have devices.
  if (!('mediaDevices' in navigator)) throw new MediaFailure('insecure')
  if ((document as WithPolicy).featurePolicy?.allowsFeature(feature) === false)
    throw new MediaFailure('policy')
  try {
    return await open(navigator.mediaDevices)
  } catch (error) {
    throw new MediaFailure((error instanceof DOMException && CODES[error.name]) || 'busy')
  }
}
