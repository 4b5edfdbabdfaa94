// What the clients and their libraries get as `react` (preact.ts).
import { createElement } from 'preact/compat'

export * from 'preact/compat'
export { default } from 'preact/compat'

/**
 * The only part of React in use that Preact lacks. Hidden children keep their state, as in React,
 * but also their effects.
 */
export const Activity = ({ mode, children }) =>
  createElement('div', { style: { display: mode === 'hidden' ? 'none' : 'contents' } }, children)
