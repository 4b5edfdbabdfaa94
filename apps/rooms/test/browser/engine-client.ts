// Script of the page on which engine-page.ts tries an engine: an engine and the elements that show
// what it receives, without the rest of the client.
import { CallMedia } from '../../src/web/voice/call-media.ts'
import type { EngineOptions } from '../../src/web/voice/engine.ts'
import { loadEngine } from '../../src/web/voice/load-engine.ts'
import type { CallPeer, CallState } from '../../src/web/live/frames.ts'

declare global {
  interface Window {
    engine: typeof engine
  }
}

const media = new CallMedia(() => {})
const peers = new Map<string, CallPeer>()

/** Shows each picture in an element of its own, as the view of a call does. */
function show(): void {
  const ids: string[] = []
  for (const [connectionId] of peers)
    for (const source of ['camera', 'screen'] as const) {
      const stream = media.engine?.media(connectionId)?.[source]
      if (!stream) continue
      const id = `${source}-${connectionId}`
      ids.push(id)
      const video = document.getElementById(id) ?? document.createElement('video')
      if (!(video instanceof HTMLVideoElement) || video.srcObject === stream) continue
      Object.assign(video, { id, muted: true, srcObject: stream, width: 320, height: 180 })
      document.body.append(video)
      void video.play().catch(() => {})
    }
  for (const video of document.querySelectorAll('video')) if (!ids.includes(video.id)) video.remove()
}

const engine = {
  media,
  /** One entry for each lost engine: whether the server had removed it. */
  lost: [] as boolean[],
  async start(ownId: string, joined: EngineOptions['joined']): Promise<void> {
    const options = {
      ownId,
      joined,
      mayTalk: () => true,
      send: () => {},
      onChange: show,
      onLost: (isRemoved: boolean) => void engine.lost.push(isRemoved),
    }
    media.start(await loadEngine(joined.mode), options)
    show()
  },
  /** A peer has joined, or does something else. */
  setPeer(peer: CallPeer): void {
    if (peers.has(peer.connectionId)) media.engine?.update(peer)
    else media.engine?.add(peer, true)
    peers.set(peer.connectionId, peer)
    show()
  },
  /** Opens the devices that this state needs, and sends what they record. */
  async send(state: CallState): Promise<void> {
    if (state.audio) await media.devices.openMicrophone()
    if (state.camera) await media.devices.media.open('camera')
    media.send(state)
  },
  show,
}
window.engine = engine

// A browser offers screens only after a press.
const share = document.createElement('button')
share.textContent = 'Share'
share.addEventListener('click', () => void media.devices.media.openScreen('sharp'))
document.body.append(share)
