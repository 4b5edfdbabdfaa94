import { icon } from '@latchkey/web/icons'

// Drawings of Tabler Icons, as in @latchkey/web/icons, which only calls need.

export const IconAdjustments = /* @__PURE__ */ icon(
  'adjustments-horizontal',
  'M12 6a2 2 0 1 0 4 0a2 2 0 1 0 -4 0',
  'M4 6l8 0',
  'M16 6l4 0',
  'M6 12a2 2 0 1 0 4 0a2 2 0 1 0 -4 0',
  'M4 12l2 0',
  'M10 12l10 0',
  'M15 18a2 2 0 1 0 4 0a2 2 0 1 0 -4 0',
  'M4 18l11 0',
  'M19 18l1 0',
)
export const IconAlertCircle = /* @__PURE__ */ icon(
  'alert-circle',
  'M3 12a9 9 0 1 0 18 0a9 9 0 0 0 -18 0',
  'M12 8v4',
  'M12 16h.01',
)
export const IconChevronDown = /* @__PURE__ */ icon('chevron-down', 'M6 9l6 6l6 -6')
export const IconChevronUp = /* @__PURE__ */ icon('chevron-up', 'M6 15l6 -6l6 6')
export const IconHandStop = /* @__PURE__ */ icon(
  'hand-stop',
  'M8 13v-7.5a1.5 1.5 0 0 1 3 0v6.5',
  'M11 5.5v-2a1.5 1.5 0 1 1 3 0v8.5',
  'M14 5.5a1.5 1.5 0 0 1 3 0v6.5',
  'M17 7.5a1.5 1.5 0 0 1 3 0v8.5a6 6 0 0 1 -6 6h-2h.208a6 6 0 0 1 -5.012 -2.7a69.74 69.74 0 0 1 -.196 -.3c-.312 -.479 -1.407 -2.388 -3.286 -5.728a1.5 1.5 0 0 1 .536 -2.022a1.867 1.867 0 0 1 2.28 .28l1.47 1.47',
)
export const IconHeadphones = /* @__PURE__ */ icon(
  'headphones',
  'M4 15a2 2 0 0 1 2 -2h1a2 2 0 0 1 2 2v3a2 2 0 0 1 -2 2h-1a2 2 0 0 1 -2 -2l0 -3',
  'M15 15a2 2 0 0 1 2 -2h1a2 2 0 0 1 2 2v3a2 2 0 0 1 -2 2h-1a2 2 0 0 1 -2 -2l0 -3',
  'M4 15v-3a8 8 0 0 1 16 0v3',
)
export const IconLayoutGrid = /* @__PURE__ */ icon(
  'layout-grid',
  'M4 5a1 1 0 0 1 1 -1h4a1 1 0 0 1 1 1v4a1 1 0 0 1 -1 1h-4a1 1 0 0 1 -1 -1l0 -4',
  'M14 5a1 1 0 0 1 1 -1h4a1 1 0 0 1 1 1v4a1 1 0 0 1 -1 1h-4a1 1 0 0 1 -1 -1l0 -4',
  'M4 15a1 1 0 0 1 1 -1h4a1 1 0 0 1 1 1v4a1 1 0 0 1 -1 1h-4a1 1 0 0 1 -1 -1l0 -4',
  'M14 15a1 1 0 0 1 1 -1h4a1 1 0 0 1 1 1v4a1 1 0 0 1 -1 1h-4a1 1 0 0 1 -1 -1l0 -4',
)
export const IconPhoneOff = /* @__PURE__ */ icon(
  'phone-off',
  'M3 21l18 -18',
  'M5.831 14.161a15.946 15.946 0 0 1 -2.831 -8.161a2 2 0 0 1 2 -2h4l2 5l-2.5 1.5c.108 .22 .223 .435 .345 .645m1.751 2.277c.843 .84 1.822 1.544 2.904 2.078l1.5 -2.5l5 2v4a2 2 0 0 1 -2 2a15.963 15.963 0 0 1 -10.344 -4.657',
)
export const IconPictureInPicture = /* @__PURE__ */ icon(
  'picture-in-picture',
  'M11 19h-6a2 2 0 0 1 -2 -2v-10a2 2 0 0 1 2 -2h14a2 2 0 0 1 2 2v4',
  'M14 15a1 1 0 0 1 1 -1h5a1 1 0 0 1 1 1v3a1 1 0 0 1 -1 1h-5a1 1 0 0 1 -1 -1l0 -3',
)
export const IconScreenShare = /* @__PURE__ */ icon(
  'screen-share',
  'M21 12v3a1 1 0 0 1 -1 1h-16a1 1 0 0 1 -1 -1v-10a1 1 0 0 1 1 -1h9',
  'M7 20l10 0',
  'M9 16l0 4',
  'M15 16l0 4',
  'M17 4h4v4',
  'M16 9l5 -5',
)
export const IconScreenShareOff = /* @__PURE__ */ icon(
  'screen-share-off',
  'M21 12v3a1 1 0 0 1 -1 1h-16a1 1 0 0 1 -1 -1v-10a1 1 0 0 1 1 -1h9',
  'M7 20l10 0',
  'M9 16l0 4',
  'M15 16l0 4',
  'M17 8l4 -4m-4 0l4 4',
)
export const IconVideo = /* @__PURE__ */ icon(
  'video',
  'M15 10l4.553 -2.276a1 1 0 0 1 1.447 .894v6.764a1 1 0 0 1 -1.447 .894l-4.553 -2.276v-4',
  'M3 8a2 2 0 0 1 2 -2h8a2 2 0 0 1 2 2v8a2 2 0 0 1 -2 2h-8a2 2 0 0 1 -2 -2l0 -8',
)
export const IconVideoOff = /* @__PURE__ */ icon(
  'video-off',
  'M3 3l18 18',
  'M15 11v-1l4.553 -2.276a1 1 0 0 1 1.447 .894v6.764a1 1 0 0 1 -.675 .946',
  'M10 6h3a2 2 0 0 1 2 2v3m0 4v1a2 2 0 0 1 -2 2h-8a2 2 0 0 1 -2 -2v-8a2 2 0 0 1 2 -2h1',
)
export const IconMaximize = /* @__PURE__ */ icon(
  'arrows-maximize',
  'M16 4l4 0l0 4',
  'M14 10l6 -6',
  'M8 20l-4 0l0 -4',
  'M4 20l6 -6',
  'M16 20l4 0l0 -4',
  'M14 14l6 6',
  'M8 4l-4 0l0 4',
  'M4 4l6 6',
)
export const IconMinimize = /* @__PURE__ */ icon(
  'arrows-minimize',
  'M5 9l4 0l0 -4',
  'M3 3l6 6',
  'M5 15l4 0l0 4',
  'M3 21l6 -6',
  'M19 9l-4 0l0 -4',
  'M15 9l6 -6',
  'M19 15l-4 0l0 4',
  'M15 15l6 6',
)
