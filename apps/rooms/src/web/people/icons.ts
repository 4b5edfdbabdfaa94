import { icon } from '@latchkey/web/icons'

export { IconPhone } from '@latchkey/web/icons'

export const IconClock = /* @__PURE__ */ icon('clock', 'M3 12a9 9 0 1 0 18 0a9 9 0 0 0 -18 0', 'M12 7v5l3 3')
export const IconMessage = /* @__PURE__ */ icon(
  'message',
  'M8 9h8',
  'M8 13h6',
  'M18 4a3 3 0 0 1 3 3v8a3 3 0 0 1 -3 3h-5l-5 3v-3h-2a3 3 0 0 1 -3 -3v-8a3 3 0 0 1 3 -3h12z',
)
export const IconMoodSmile = /* @__PURE__ */ icon(
  'mood-smile',
  'M3 12a9 9 0 1 0 18 0a9 9 0 1 0 -18 0',
  'M9 10l.01 0',
  'M15 10l.01 0',
  'M9.5 15a3.5 3.5 0 0 0 5 0',
)
