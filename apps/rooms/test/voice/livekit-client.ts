import {
  AudioFrame,
  AudioSource,
  AudioStream,
  LocalAudioTrack,
  LocalVideoTrack,
  Room,
  RoomEvent,
  TrackPublishOptions,
  TrackSource,
  VideoBufferType,
  VideoFrame,
  VideoSource,
  VideoStream,
  TrackKind,
} from '@livekit/rtc-node'
import { ORIGIN } from '../rooms.ts'
import { cookiesOf } from '../realtime/live.ts'
import { until } from '../until.ts'
import { type Caller, type JoinedJson, sendJoin } from './call.ts'

const RATE = 48_000
/** Each frame that is sent is an event to all clients of the process. */
const FRAME_MS = 100
const SAMPLES = (RATE * FRAME_MS) / 1000
/** A whole number of waves, so that it can be repeated. */
const TONE = Int16Array.from(
  { length: SAMPLES },
  (_, at) => 12_000 * Math.sin((2 * Math.PI * 440 * at) / RATE),
)
const LOUD = 1_000
const DISCONNECT_TIMEOUT_MS = 5_000

export type LiveKitJoined = JoinedJson & { url: string; token: string }

/** Joins the call, and gets what LiveKit's client needs. */
export async function joinLiveKit(caller: Caller, roomId: string): Promise<LiveKitJoined> {
  const response = await sendJoin(caller, roomId)
  const text = await response.text()
  if (!response.ok) throw new Error(`${response.status} ${text}`)
  return JSON.parse(text) as LiveKitJoined
}

/**
 * The requests of LiveKit's client as a browser sends them, with cookies and origin, which that
 * client itself cannot send.
 */
export function asBrowser(
  port: number,
  { browser }: { browser: Pick<Caller['browser'], 'cookies'> },
  origin = ORIGIN,
) {
  type Data = { target: WebSocket; early: (string | ArrayBuffer)[] }
  const own = () => ({ host: new URL(ORIGIN).host, cookie: cookiesOf(browser), origin })
  const server = Bun.serve<Data>({
    port: 0,
    hostname: '127.0.0.1',
    async fetch(request) {
      const { pathname, search } = new URL(request.url)
      const headers = { ...own(), authorization: request.headers.get('authorization') ?? '' }
      if (request.headers.get('upgrade') === null)
        return fetch(`http://127.0.0.1:${port}${pathname}${search}`, { headers })
      const options = { headers } as unknown as string[]
      const target = new WebSocket(`ws://127.0.0.1:${port}${pathname}${search}`, options)
      target.binaryType = 'arraybuffer'
      const data: Data = { target, early: [] }
      target.addEventListener('message', (event) => data.early.push(event.data as ArrayBuffer))
      const isOpen = await new Promise<boolean>((resolve) => {
        target.addEventListener('open', () => resolve(true))
        target.addEventListener('error', () => resolve(false))
        target.addEventListener('close', () => resolve(false))
      })
      if (isOpen && server.upgrade(request, { data })) return undefined
      return new Response('refused', { status: 403 })
    },
    websocket: {
      open(socket) {
        const { target, early } = socket.data
        for (const frame of early) socket.send(frame)
        target.addEventListener('message', ({ data }) => void socket.send(data as ArrayBuffer))
        target.addEventListener('close', () => socket.close())
      },
      message: (socket, frame) => socket.data.target.send(frame),
      close: ({ data }) => data.target.close(),
    },
  })
  return { url: `ws://127.0.0.1:${server.port}/api/livekit`, stop: () => server.stop(true) }
}

/** Publishes a tone until the timer is cleared. Rejects if LiveKit does not accept it. */
export function publishTone(room: Room, source: TrackSource = TrackSource.SOURCE_MICROPHONE) {
  const tone = new AudioSource(RATE, 1)
  const track = LocalAudioTrack.createAudioTrack('tone', tone)
  const frame = () => tone.captureFrame(new AudioFrame(TONE, RATE, 1, SAMPLES)).catch(() => {})
  const timer = setInterval(() => void frame(), FRAME_MS)
  return { timer, published: room.localParticipant?.publishTrack(track, new TrackPublishOptions({ source })) }
}

/** LiveKit's own client in a call. */
export class CallClient {
  readonly room = new Room()
  /** Number of loud frames of sound by the identity that sent them. */
  readonly loudFrames = new Map<string, number>()
  /** Number of pictures by the identity that sent them. */
  readonly seen = new Map<string, number>()
  isDisconnected = false
  readonly #timers: ReturnType<typeof setInterval>[] = []

  constructor() {
    this.room.on(RoomEvent.Disconnected, () => (this.isDisconnected = true))
    this.room.on(RoomEvent.TrackSubscribed, (track, _, { identity }) => {
      if (track.kind === TrackKind.KIND_AUDIO) void this.#listen(new AudioStream(track), identity)
      else void this.#watch(new VideoStream(track), identity)
    })
  }

  async connect(url: string, token: string): Promise<this> {
    await this.room.connect(url, token, { autoSubscribe: true, dynacast: false })
    return this
  }

  async #listen(stream: AudioStream, identity: string): Promise<void> {
    for await (const { data } of stream)
      if (data.some((sample) => Math.abs(sample) > LOUD))
        this.loudFrames.set(identity, (this.loudFrames.get(identity) ?? 0) + 1)
  }

  async #watch(stream: VideoStream, identity: string): Promise<void> {
    for await (const _ of stream) this.seen.set(identity, (this.seen.get(identity) ?? 0) + 1)
  }

  /** Publishes a tone as this source. Rejects if LiveKit does not accept it. */
  async speak(source?: TrackSource) {
    const { timer, published } = publishTone(this.room, source)
    this.#timers.push(timer)
    return published
  }

  /** Publishes a moving picture as this source. */
  async show(source: TrackSource = TrackSource.SOURCE_CAMERA) {
    const [width, height] = [160, 120]
    const picture = new VideoSource(width, height)
    const track = LocalVideoTrack.createVideoTrack('picture', picture)
    let shade = 0
    const frame = () => {
      shade = (shade + 8) % 256
      const data = new Uint8Array(width * height * 4).fill(shade)
      picture.captureFrame(new VideoFrame(data, width, height, VideoBufferType.RGBA))
    }
    this.#timers.push(setInterval(frame, 50))
    return this.room.localParticipant?.publishTrack(track, new TrackPublishOptions({ source }))
  }

  /** Waits until new sound of this participant arrives. */
  async waitForSound(identity: string): Promise<void> {
    const before = this.loudFrames.get(identity) ?? 0
    await until(() => (this.loudFrames.get(identity) ?? 0) > before + 5)
  }

  /** Ends the connection. The native client sometimes never says that it did, and is left alone then. */
  async close(): Promise<void> {
    for (const timer of this.#timers) clearInterval(timer)
    await Promise.race([this.room.disconnect(), Bun.sleep(DISCONNECT_TIMEOUT_MS)])
  }
}
