import { highlight } from './highlight.ts'

/** Code to colour: its language, and its text. */
export type Code = readonly [language: string, text: string]

// Global in a worker: types of pages and of workers exclude each other.
declare const postMessage: (message: unknown) => void

addEventListener('message', ({ data: [language, text] }: MessageEvent<Code>) =>
  postMessage(highlight(language, text)),
)

// The script is loaded: from now on, the time counts.
postMessage(null)
