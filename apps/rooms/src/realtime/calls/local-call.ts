import type { Connection } from '../connection.ts'
import { toMomentOrNull } from '../../api/wire.ts'
import { type Grants, isLess } from '../../voice/grants.ts'
import { type Peer, mayStayInCall, toCallPeer } from '../../voice/store.ts'

/** Why a connection is in a call no more. */
export type CallEnd = 'left' | 'removed' | 'rights' | 'off' | 'lost'

export type ActivePeer = Peer & { grants: Grants }

/** Server that carries the media, if it is not a mesh. */
export interface Media {
  remove: (roomId: string, identity: { userId: string; connectionId: string }) => void
  permit: (roomId: string, peer: ActivePeer) => void
  mute: (roomId: string, peer: ActivePeer) => void
}

/** Call of a room as last sent to the connections of this node. */
export class LocalCall {
  readonly #roomId: string
  readonly #media: Media | null
  /** Peers by connection, in order of joining. */
  #peers: ReadonlyMap<string, ActivePeer> = new Map()
  /** Connections of this node in the call. */
  #connections: ReadonlyMap<string, Connection> = new Map()

  constructor(roomId: string, media: Media | null) {
    this.#roomId = roomId
    this.#media = media
  }

  /** Number of connections of this node. */
  get size(): number {
    return this.#connections.size
  }

  get isEmpty(): boolean {
    return this.size === 0
  }

  find(connectionId: string): { peer: ActivePeer; connection: Connection } | undefined {
    const peer = this.#peers.get(connectionId)
    const connection = this.#connections.get(connectionId)
    return peer && connection && { peer, connection }
  }

  /**
   * Reasons for which peers of this node must leave: they may not be in the call any more, or not do
   * all that they could when they joined. Others have connected to them on those terms.
   */
  findLosses(peers: readonly Peer[], local: ReadonlyMap<string, Connection>): Map<string, 'rights' | 'off'> {
    const losses = new Map<string, 'rights' | 'off'>()
    for (const { connectionId, grants } of peers) {
      if (!local.has(connectionId)) continue
      const before = this.#peers.get(connectionId)
      if (!grants) losses.set(connectionId, 'off')
      else if (before && isLess(grants, before.grants)) losses.set(connectionId, 'rights')
    }
    return losses
  }

  /**
   * Replaces the peers and sends the differences to the connections of this node in the call. Peers
   * of other nodes have no connection in `local`.
   */
  replace(
    peers: readonly Peer[],
    local: ReadonlyMap<string, Connection>,
    endOf: (connectionId: string) => CallEnd,
  ): void {
    const before = this.#peers
    const previous = this.#connections
    const after = new Map(peers.filter(mayStayInCall).map((peer) => [peer.connectionId, peer]))
    this.#peers = after
    this.#connections = new Map([...local].filter(([id]) => after.has(id)))
    for (const [id, connection] of previous)
      if (!this.#connections.has(id)) this.#dismiss(connection, endOf(id))
    for (const connection of this.#connections.values()) connection.callRooms.add(this.#roomId)
    for (const id of before.keys()) if (!after.has(id)) this.#send({ type: 'voice.left', connectionId: id })
    for (const [id, peer] of after) {
      const old = before.get(id)
      if (!old) this.#send({ type: 'voice.joined', peer: toCallPeer(peer) }, id)
      else {
        this.#sendChange(peer, old)
        this.#applyToMedia(peer, old)
      }
    }
  }

  /** A recorder was in the call. */
  sendRecorderNotice(): void {
    this.#send({ type: 'voice.recorder' })
  }

  /** Applies lost rights to the media of a connection of this node; other nodes apply theirs. */
  #applyToMedia(peer: ActivePeer, old: ActivePeer): void {
    if (!this.#connections.has(peer.connectionId)) return
    if (isLess(old.grants, peer.grants)) this.#media?.permit(this.#roomId, peer)
    if (peer.muted && !old.muted) this.#media?.mute(this.#roomId, peer)
  }

  #sendChange(peer: ActivePeer, old: ActivePeer): void {
    const { connectionId, userId, handAtMs } = peer
    if (JSON.stringify({ ...peer, handAtMs: null }) !== JSON.stringify({ ...old, handAtMs: null }))
      this.#send({ type: 'voice.changed', peer: toCallPeer(peer) })
    if (handAtMs !== old.handAtMs)
      this.#send({ type: 'voice.hand', userId, connectionId, hand: toMomentOrNull(handAtMs) })
  }

  #dismiss(connection: Connection, reason: CallEnd): void {
    this.#media?.remove(this.#roomId, { userId: connection.userId, connectionId: connection.id })
    connection.callRooms.delete(this.#roomId)
    connection.sendFrame({ type: 'voice.removed', roomId: this.#roomId, reason })
  }

  #send(frame: Readonly<Record<string, unknown>>, except?: string): void {
    const text = JSON.stringify({ roomId: this.#roomId, ...frame })
    for (const [id, connection] of this.#connections) if (id !== except) connection.send(text)
  }
}
