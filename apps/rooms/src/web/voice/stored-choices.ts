/** Choices of this browser for calls. Without storage, they last as long as the page. */
export interface CallChoices {
  microphone?: string
  camera?: string
  speaker?: string
  /** Volumes other than 1, by user. */
  volumes?: Record<string, number>
}

const KEY = 'latchkey:call'
let unstored: CallChoices = {}

export function readChoices(): CallChoices {
  try {
    return JSON.parse(localStorage.getItem(KEY) ?? '{}') as CallChoices
  } catch {
    return unstored
  }
}

export function storeChoices(changes: CallChoices): void {
  unstored = { ...readChoices(), ...changes }
  try {
    localStorage.setItem(KEY, JSON.stringify(unstored))
  } catch {
    // The browser stores nothing for this page.
  }
}
