import { playTones } from '../notifications/sound.ts'

/** A call waits for an answer. Resolves at the end of the sound. */
export const playAlert = (): Promise<void> => playTones([587, 784, 587, 784], 0.12)
/** A person joined the call: upwards. */
export const playComing = (): void => void playTones([440, 587], 0.06)
/** A person left it: downwards. */
export const playGoing = (): void => void playTones([587, 440], 0.06)
