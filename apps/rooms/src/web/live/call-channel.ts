import type { CallState, RemovedFrame, ServerFrame, Signal, VoiceFrame } from './frames.ts'

/** Frames that matter to a call: those about it, and the end of the user's stay in a room. */
export type CallFrame = VoiceFrame | RemovedFrame

/** A refusal comes before the answers to this many later signals. */
const MAX_SIGNALS = 200

type Listener = (frame: CallFrame) => void

export function isVoiceFrame(frame: ServerFrame): frame is VoiceFrame {
  return frame.type.startsWith('voice.') && frame.type !== 'voice.state'
}

/** The part of a connection that calls use (R33.3). */
export class CallChannel {
  readonly #listeners = new Set<Listener>()
  /** Requests without an answer, by id: resolved with undefined or the code of the refusal. */
  readonly #requests = new Map<string, (refusal: string | undefined) => void>()
  /** What to do if a signal is refused, by id. A signal that is passed on has no answer. */
  readonly #signals = new Map<string, (refusal: string) => void>()
  readonly #request: (frame: CallRequest) => string | undefined

  /** `request` returns the id of a request, or undefined without a connection. */
  constructor(request: (frame: CallRequest) => string | undefined) {
    this.#request = request
  }

  /** Calls `listener` with each frame that matters to a call. */
  listen(listener: Listener): () => void {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  /** Says what this connection does in a call. Resolves with the code of a refusal. */
  sendState(roomId: string, state: CallState): Promise<string | undefined> {
    const id = this.#request({ type: 'voice.state', roomId, ...state })
    if (id === undefined) return Promise.resolve('not_present')
    const { promise, resolve } = Promise.withResolvers<string | undefined>()
    this.#requests.set(id, resolve)
    return promise
  }

  /** Sends a part of a negotiation to another connection in the call. */
  sendSignal(roomId: string, to: string, signal: Signal, onRefusal: (refusal: string) => void): void {
    const id = this.#request({ type: 'voice.signal', roomId, to, ...signal })
    if (id === undefined) return
    this.#signals.set(id, onRefusal)
    const [oldest] = this.#signals.keys()
    if (this.#signals.size > MAX_SIGNALS && oldest !== undefined) this.#signals.delete(oldest)
  }

  /** Makes the server answer, to notice a dead connection early. */
  ping(): void {
    this.#request({ type: 'ping' })
  }

  receive(frame: CallFrame): void {
    for (const listener of this.#listeners) listener(frame)
  }

  answer(id: string, refusal: string | undefined): void {
    this.#requests.get(id)?.(refusal)
    this.#requests.delete(id)
    if (refusal !== undefined) this.#signals.get(id)?.(refusal)
    this.#signals.delete(id)
  }

  /** The connection is lost. */
  reset(): void {
    this.#signals.clear()
    for (const id of this.#requests.keys()) this.answer(id, 'not_present')
  }
}

type CallRequest =
  | { type: 'ping' }
  | ({ type: 'voice.state'; roomId: string } & CallState)
  | ({ type: 'voice.signal'; roomId: string; to: string } & Signal)
