/** The part of `WebSocket` that is used here. Tests provide their own. */
export interface Socket {
  send: (text: string) => void
  close: (code?: number) => void
}

/** Callbacks of a socket. */
export interface SocketListeners {
  onMessage: (text: string) => unknown
  onClose: (code: number, reason: string) => unknown
}
