// What the clients and their libraries get as `react` (preact.ts).
import { options } from 'preact'
import { createElement } from 'preact/compat'

// Preact runs effects after the next frame. React runs those of a keystroke or click before the next
// event, on which libraries rely: a form that is submitted at once must see the last keystroke.
options.requestAnimationFrame = queueMicrotask

export * from 'preact/compat'
export { default } from 'preact/compat'

/**
 * The only part of React in use that Preact lacks. Hidden children keep their state, as in React,
 * but also their effects.
 */
export const Activity = ({ mode, children }) =>
  createElement('div', { style: { display: mode === 'hidden' ? 'none' : 'contents' } }, children)
