import { type ComponentProps, type ReactNode, createElement } from 'react'

// The drawings are those of Tabler Icons 3.51.0, © 2020-2026 Paweł Kuna, MIT licence
// (https://tabler.io/icons). The package holds six thousand in 90 MB; these are the ones in use. To
// add one, copy the `d` of each path of its outline.

export interface IconProps extends Omit<ComponentProps<'svg'>, 'stroke'> {
  /** Width and height, in pixels. */
  size?: number
  /** Width of the lines, in the units of a 24 by 24 drawing. */
  stroke?: number
}

export type Icon = (props: IconProps) => ReactNode

/** An icon of these paths, for those that only a part of an app needs, and which belong into its file. */
export function icon(name: string, ...paths: readonly string[]): Icon {
  return ({ color = 'currentColor', size = 24, stroke = 2, className, ...rest }) =>
    createElement(
      'svg',
      {
        xmlns: 'http://www.w3.org/2000/svg',
        width: size,
        height: size,
        viewBox: '0 0 24 24',
        fill: 'none',
        stroke: color,
        strokeWidth: stroke,
        strokeLinecap: 'round',
        strokeLinejoin: 'round',
        className: ['tabler-icon', `tabler-icon-${name}`, className].filter(Boolean).join(' '),
        ...rest,
      },
      ...paths.map((d) => createElement('path', { d })),
    )
}

export const IconAlertTriangle = /* @__PURE__ */ icon(
  'alert-triangle',
  'M12 9v4',
  'M10.363 3.591l-8.106 13.534a1.914 1.914 0 0 0 1.636 2.871h16.214a1.914 1.914 0 0 0 1.636 -2.87l-8.106 -13.536a1.914 1.914 0 0 0 -3.274 0',
  'M12 16h.01',
)
export const IconArchive = /* @__PURE__ */ icon(
  'archive',
  'M3 6a2 2 0 0 1 2 -2h14a2 2 0 0 1 2 2a2 2 0 0 1 -2 2h-14a2 2 0 0 1 -2 -2',
  'M5 8v10a2 2 0 0 0 2 2h10a2 2 0 0 0 2 -2v-10',
  'M10 12l4 0',
)
export const IconArchiveOff = /* @__PURE__ */ icon(
  'archive-off',
  'M8 4h11a2 2 0 1 1 0 4h-7m-4 0h-3a2 2 0 0 1 -.826 -3.822',
  'M5 8v10a2 2 0 0 0 2 2h10a2 2 0 0 0 1.824 -1.18m.176 -3.82v-7',
  'M10 12h2',
  'M3 3l18 18',
)
export const IconArrowBackUp = /* @__PURE__ */ icon(
  'arrow-back-up',
  'M9 14l-4 -4l4 -4',
  'M5 10h11a4 4 0 1 1 0 8h-1',
)
export const IconArrowDown = /* @__PURE__ */ icon('arrow-down', 'M12 5l0 14', 'M18 13l-6 6', 'M6 13l6 6')
export const IconArrowDownRight = /* @__PURE__ */ icon('arrow-down-right', 'M7 7l10 10', 'M17 8l0 9l-9 0')
export const IconArrowForwardUp = /* @__PURE__ */ icon(
  'arrow-forward-up',
  'M15 14l4 -4l-4 -4',
  'M19 10h-11a4 4 0 1 0 0 8h1',
)
export const IconArrowLeft = /* @__PURE__ */ icon('arrow-left', 'M5 12l14 0', 'M5 12l6 6', 'M5 12l6 -6')
export const IconArrowRight = /* @__PURE__ */ icon('arrow-right', 'M5 12l14 0', 'M13 18l6 -6', 'M13 6l6 6')
export const IconArrowUp = /* @__PURE__ */ icon('arrow-up', 'M12 5l0 14', 'M18 11l-6 -6', 'M6 11l6 -6')
export const IconArrowUpRight = /* @__PURE__ */ icon('arrow-up-right', 'M17 7l-10 10', 'M8 7l9 0l0 9')
export const IconArrowsSplit = /* @__PURE__ */ icon(
  'arrows-split',
  'M21 17h-8l-3.5 -5h-6.5',
  'M21 7h-8l-3.495 5',
  'M18 10l3 -3l-3 -3',
  'M18 20l3 -3l-3 -3',
)
export const IconBold = /* @__PURE__ */ icon(
  'bold',
  'M7 5h6a3.5 3.5 0 0 1 0 7h-6l0 -7',
  'M13 12h1a3.5 3.5 0 0 1 0 7h-7v-7',
)
export const IconBookmark = /* @__PURE__ */ icon(
  'bookmark',
  'M18 7v14l-6 -4l-6 4v-14a4 4 0 0 1 4 -4h4a4 4 0 0 1 4 4z',
)
export const IconChartBar = /* @__PURE__ */ icon(
  'chart-bar',
  'M3 13a1 1 0 0 1 1 -1h4a1 1 0 0 1 1 1v6a1 1 0 0 1 -1 1h-4a1 1 0 0 1 -1 -1l0 -6',
  'M15 9a1 1 0 0 1 1 -1h4a1 1 0 0 1 1 1v10a1 1 0 0 1 -1 1h-4a1 1 0 0 1 -1 -1l0 -10',
  'M9 5a1 1 0 0 1 1 -1h4a1 1 0 0 1 1 1v14a1 1 0 0 1 -1 1h-4a1 1 0 0 1 -1 -1l0 -14',
  'M4 20h14',
)
export const IconCheck = /* @__PURE__ */ icon('check', 'M5 12l5 5l10 -10')
export const IconChevronLeft = /* @__PURE__ */ icon('chevron-left', 'M15 6l-6 6l6 6')
export const IconChevronRight = /* @__PURE__ */ icon('chevron-right', 'M9 6l6 6l-6 6')
export const IconClockOff = /* @__PURE__ */ icon(
  'clock-off',
  'M5.633 5.64a9 9 0 1 0 12.735 12.72m1.674 -2.32a9 9 0 0 0 -12.082 -12.082',
  'M12 7v1',
  'M3 3l18 18',
)
export const IconCode = /* @__PURE__ */ icon('code', 'M7 8l-4 4l4 4', 'M17 8l4 4l-4 4', 'M14 4l-4 16')
export const IconCopy = /* @__PURE__ */ icon(
  'copy',
  'M7 9.667a2.667 2.667 0 0 1 2.667 -2.667h8.666a2.667 2.667 0 0 1 2.667 2.667v8.666a2.667 2.667 0 0 1 -2.667 2.667h-8.666a2.667 2.667 0 0 1 -2.667 -2.667l0 -8.666',
  'M4.012 16.737a2.005 2.005 0 0 1 -1.012 -1.737v-10c0 -1.1 .9 -2 2 -2h10c.75 0 1.158 .385 1.5 1',
)
export const IconCopyPlus = /* @__PURE__ */ icon(
  'copy-plus',
  'M7 9.667a2.667 2.667 0 0 1 2.667 -2.667h8.666a2.667 2.667 0 0 1 2.667 2.667v8.666a2.667 2.667 0 0 1 -2.667 2.667h-8.666a2.667 2.667 0 0 1 -2.667 -2.667l0 -8.666',
  'M4.012 16.737a2 2 0 0 1 -1.012 -1.737v-10c0 -1.1 .9 -2 2 -2h10c.75 0 1.158 .385 1.5 1',
  'M11 14h6',
  'M14 11v6',
)
export const IconDoorExit = /* @__PURE__ */ icon(
  'door-exit',
  'M13 12v.01',
  'M3 21h18',
  'M5 21v-16a2 2 0 0 1 2 -2h7.5m2.5 10.5v7.5',
  'M14 7h7m-3 -3l3 3l-3 3',
)
export const IconDots = /* @__PURE__ */ icon(
  'dots',
  'M4 12a1 1 0 1 0 2 0a1 1 0 1 0 -2 0',
  'M11 12a1 1 0 1 0 2 0a1 1 0 1 0 -2 0',
  'M18 12a1 1 0 1 0 2 0a1 1 0 1 0 -2 0',
)
export const IconDotsVertical = /* @__PURE__ */ icon(
  'dots-vertical',
  'M11 12a1 1 0 1 0 2 0a1 1 0 1 0 -2 0',
  'M11 19a1 1 0 1 0 2 0a1 1 0 1 0 -2 0',
  'M11 5a1 1 0 1 0 2 0a1 1 0 1 0 -2 0',
)
export const IconDownload = /* @__PURE__ */ icon(
  'download',
  'M4 17v2a2 2 0 0 0 2 2h12a2 2 0 0 0 2 -2v-2',
  'M7 11l5 5l5 -5',
  'M12 4l0 12',
)
export const IconExternalLink = /* @__PURE__ */ icon(
  'external-link',
  'M12 6h-6a2 2 0 0 0 -2 2v10a2 2 0 0 0 2 2h10a2 2 0 0 0 2 -2v-6',
  'M11 13l9 -9',
  'M15 4h5v5',
)
export const IconFile = /* @__PURE__ */ icon(
  'file',
  'M14 3v4a1 1 0 0 0 1 1h4',
  'M17 21h-10a2 2 0 0 1 -2 -2v-14a2 2 0 0 1 2 -2h7l5 5v11a2 2 0 0 1 -2 2',
)
export const IconFilter = /* @__PURE__ */ icon(
  'filter',
  'M4 4h16v2.172a2 2 0 0 1 -.586 1.414l-4.414 4.414v7l-6 2v-8.5l-4.48 -4.928a2 2 0 0 1 -.52 -1.345v-2.227',
)
export const IconBell = /* @__PURE__ */ icon(
  'bell',
  'M10 5a2 2 0 1 1 4 0a7 7 0 0 1 4 6v3a4 4 0 0 0 2 3h-16a4 4 0 0 0 2 -3v-3a7 7 0 0 1 4 -6',
  'M9 17v1a3 3 0 0 0 6 0v-1',
)
export const IconBellOff = /* @__PURE__ */ icon(
  'bell-off',
  'M9.346 5.353c.21 -.129 .428 -.246 .654 -.353a2 2 0 1 1 4 0a7 7 0 0 1 4 6v3m-1 3h-13a4 4 0 0 0 2 -3v-3a6.996 6.996 0 0 1 1.273 -3.707',
  'M9 17v1a3 3 0 0 0 6 0v-1',
  'M3 3l18 18',
)
export const IconFolder = /* @__PURE__ */ icon(
  'folder',
  'M5 4h4l3 3h7a2 2 0 0 1 2 2v8a2 2 0 0 1 -2 2h-14a2 2 0 0 1 -2 -2v-11a2 2 0 0 1 2 -2',
)
export const IconFolderPlus = /* @__PURE__ */ icon(
  'folder-plus',
  'M12 19h-7a2 2 0 0 1 -2 -2v-11a2 2 0 0 1 2 -2h4l3 3h7a2 2 0 0 1 2 2v3.5',
  'M16 19h6',
  'M19 16v6',
)
export const IconFolders = /* @__PURE__ */ icon(
  'folders',
  'M9 3h3l2 2h5a2 2 0 0 1 2 2v7a2 2 0 0 1 -2 2h-10a2 2 0 0 1 -2 -2v-9a2 2 0 0 1 2 -2',
  'M17 16v2a2 2 0 0 1 -2 2h-10a2 2 0 0 1 -2 -2v-9a2 2 0 0 1 2 -2h2',
)
export const IconGripVertical = /* @__PURE__ */ icon(
  'grip-vertical',
  'M8 5a1 1 0 1 0 2 0a1 1 0 1 0 -2 0',
  'M8 12a1 1 0 1 0 2 0a1 1 0 1 0 -2 0',
  'M8 19a1 1 0 1 0 2 0a1 1 0 1 0 -2 0',
  'M14 5a1 1 0 1 0 2 0a1 1 0 1 0 -2 0',
  'M14 12a1 1 0 1 0 2 0a1 1 0 1 0 -2 0',
  'M14 19a1 1 0 1 0 2 0a1 1 0 1 0 -2 0',
)
export const IconHash = /* @__PURE__ */ icon('hash', 'M5 9l14 0', 'M5 15l14 0', 'M11 4l-4 16', 'M17 4l-4 16')
export const IconHistory = /* @__PURE__ */ icon(
  'history',
  'M12 8l0 4l2 2',
  'M3.05 11a9 9 0 1 1 .5 4m-.5 5v-5h5',
)
export const IconHome = /* @__PURE__ */ icon(
  'home',
  'M5 12l-2 0l9 -9l9 9l-2 0',
  'M5 12v7a2 2 0 0 0 2 2h10a2 2 0 0 0 2 -2v-7',
  'M9 21v-6a2 2 0 0 1 2 -2h2a2 2 0 0 1 2 2v6',
)
export const IconItalic = /* @__PURE__ */ icon('italic', 'M11 5l6 0', 'M7 19l6 0', 'M14 5l-4 14')
export const IconKeyboard = /* @__PURE__ */ icon(
  'keyboard',
  'M2 8a2 2 0 0 1 2 -2h16a2 2 0 0 1 2 2v8a2 2 0 0 1 -2 2h-16a2 2 0 0 1 -2 -2l0 -8',
  'M6 10l0 .01',
  'M10 10l0 .01',
  'M14 10l0 .01',
  'M18 10l0 .01',
  'M6 14l0 .01',
  'M18 14l0 .01',
  'M10 14l4 .01',
)
export const IconKey = /* @__PURE__ */ icon(
  'key',
  'M16.555 3.843l3.602 3.602a2.877 2.877 0 0 1 0 4.069l-2.643 2.643a2.877 2.877 0 0 1 -4.069 0l-.301 -.301l-6.558 6.558a2 2 0 0 1 -1.239 .578l-.175 .008h-1.172a1 1 0 0 1 -.993 -.883l-.007 -.117v-1.172a2 2 0 0 1 .467 -1.284l.119 -.13l.414 -.414h2v-2h2v-2l2.144 -2.144l-.301 -.301a2.877 2.877 0 0 1 0 -4.069l2.643 -2.643a2.877 2.877 0 0 1 4.069 0',
  'M15 9h.01',
)
export const IconLanguage = /* @__PURE__ */ icon(
  'language',
  'M9 6.371c0 4.418 -2.239 6.629 -5 6.629',
  'M4 6.371h7',
  'M5 9c0 2.144 2.252 3.908 6 4',
  'M12 20l4 -9l4 9',
  'M19.1 18h-6.2',
  'M6.694 3l.793 .582',
)
export const IconLink = /* @__PURE__ */ icon(
  'link',
  'M9 15l6 -6',
  'M11 6l.463 -.536a5 5 0 0 1 7.071 7.072l-.534 .464',
  'M13 18l-.397 .534a5.068 5.068 0 0 1 -7.127 0a4.972 4.972 0 0 1 0 -7.071l.524 -.463',
)
export const IconList = /* @__PURE__ */ icon(
  'list',
  'M9 6l11 0',
  'M9 12l11 0',
  'M9 18l11 0',
  'M5 6l0 .01',
  'M5 12l0 .01',
  'M5 18l0 .01',
)
export const IconListCheck = /* @__PURE__ */ icon(
  'list-check',
  'M3.5 5.5l1.5 1.5l2.5 -2.5',
  'M3.5 11.5l1.5 1.5l2.5 -2.5',
  'M3.5 17.5l1.5 1.5l2.5 -2.5',
  'M11 6l9 0',
  'M11 12l9 0',
  'M11 18l9 0',
)
export const IconLock = /* @__PURE__ */ icon(
  'lock',
  'M5 13a2 2 0 0 1 2 -2h10a2 2 0 0 1 2 2v6a2 2 0 0 1 -2 2h-10a2 2 0 0 1 -2 -2v-6',
  'M11 16a1 1 0 1 0 2 0a1 1 0 0 0 -2 0',
  'M8 11v-4a4 4 0 1 1 8 0v4',
)
export const IconLogin2 = /* @__PURE__ */ icon(
  'login-2',
  'M9 8v-2a2 2 0 0 1 2 -2h7a2 2 0 0 1 2 2v12a2 2 0 0 1 -2 2h-7a2 2 0 0 1 -2 -2v-2',
  'M3 12h13l-3 -3',
  'M13 15l3 -3',
)
export const IconLogout = /* @__PURE__ */ icon(
  'logout',
  'M14 8v-2a2 2 0 0 0 -2 -2h-7a2 2 0 0 0 -2 2v12a2 2 0 0 0 2 2h7a2 2 0 0 0 2 -2v-2',
  'M9 12h12l-3 -3',
  'M18 15l3 -3',
)
export const IconMail = /* @__PURE__ */ icon(
  'mail',
  'M3 7a2 2 0 0 1 2 -2h14a2 2 0 0 1 2 2v10a2 2 0 0 1 -2 2h-14a2 2 0 0 1 -2 -2v-10',
  'M3 7l9 6l9 -6',
)
export const IconMessageSearch = /* @__PURE__ */ icon(
  'message-search',
  'M8 9h8',
  'M8 13h5',
  'M12 21l-.5 -.5l-2.5 -2.5h-3a3 3 0 0 1 -3 -3v-8a3 3 0 0 1 3 -3h12a3 3 0 0 1 3 3v4.5',
  'M15 18a3 3 0 1 0 6 0a3 3 0 1 0 -6 0',
  'M20.2 20.2l1.8 1.8',
)
export const IconMicrophone = /* @__PURE__ */ icon(
  'microphone',
  'M9 5a3 3 0 0 1 3 -3a3 3 0 0 1 3 3v5a3 3 0 0 1 -3 3a3 3 0 0 1 -3 -3l0 -5',
  'M5 10a7 7 0 0 0 14 0',
  'M8 21l8 0',
  'M12 17l0 4',
)
export const IconMicrophoneOff = /* @__PURE__ */ icon(
  'microphone-off',
  'M3 3l18 18',
  'M9 5a3 3 0 0 1 6 0v5a3 3 0 0 1 -.13 .874m-2 2a3 3 0 0 1 -3.87 -2.872v-1',
  'M5 10a7 7 0 0 0 10.846 5.85m2 -2a6.967 6.967 0 0 0 1.152 -3.85',
  'M8 21l8 0',
  'M12 17l0 4',
)
export const IconMoodPlus = /* @__PURE__ */ icon(
  'mood-plus',
  'M20.985 12.528a9 9 0 1 0 -8.45 8.456',
  'M16 19h6',
  'M19 16v6',
  'M9 10h.01',
  'M15 10h.01',
  'M9.5 15c.658 .64 1.56 1 2.5 1s1.842 -.36 2.5 -1',
)
export const IconMoon = /* @__PURE__ */ icon(
  'moon',
  'M12 3c.132 0 .263 0 .393 0a7.5 7.5 0 0 0 7.92 12.446a9 9 0 1 1 -8.313 -12.454l0 .008',
)
export const IconPaperclip = /* @__PURE__ */ icon(
  'paperclip',
  'M15 7l-6.5 6.5a1.5 1.5 0 0 0 3 3l6.5 -6.5a3 3 0 0 0 -6 -6l-6.5 6.5a4.5 4.5 0 0 0 9 9l6.5 -6.5',
)
export const IconPencil = /* @__PURE__ */ icon(
  'pencil',
  'M4 20h4l10.5 -10.5a2.828 2.828 0 1 0 -4 -4l-10.5 10.5v4',
  'M13.5 6.5l4 4',
)
export const IconPhone = /* @__PURE__ */ icon(
  'phone',
  'M5 4h4l2 5l-2.5 1.5a11 11 0 0 0 5 5l1.5 -2.5l5 2v4a2 2 0 0 1 -2 2a16 16 0 0 1 -15 -15a2 2 0 0 1 2 -2',
)
export const IconPin = /* @__PURE__ */ icon(
  'pin',
  'M15 4.5l-4 4l-4 1.5l-1.5 1.5l7 7l1.5 -1.5l1.5 -4l4 -4',
  'M9 15l-4.5 4.5',
  'M14.5 4l5.5 5.5',
)
export const IconPinnedOff = /* @__PURE__ */ icon(
  'pinned-off',
  'M9 4v1',
  'M9 9v1l-2 4v2h9',
  'M16 12l-1 -2v-6',
  'M12 16v5',
  'M8 4h8',
  'M3 3l18 18',
)
export const IconPlayerPause = /* @__PURE__ */ icon(
  'player-pause',
  'M6 6a1 1 0 0 1 1 -1h2a1 1 0 0 1 1 1v12a1 1 0 0 1 -1 1h-2a1 1 0 0 1 -1 -1l0 -12',
  'M14 6a1 1 0 0 1 1 -1h2a1 1 0 0 1 1 1v12a1 1 0 0 1 -1 1h-2a1 1 0 0 1 -1 -1l0 -12',
)
export const IconPlayerPlay = /* @__PURE__ */ icon('player-play', 'M7 4v16l13 -8l-13 -8')
export const IconPlus = /* @__PURE__ */ icon('plus', 'M12 5l0 14', 'M5 12l14 0')
export const IconQrcode = /* @__PURE__ */ icon(
  'qrcode',
  'M4 5a1 1 0 0 1 1 -1h4a1 1 0 0 1 1 1v4a1 1 0 0 1 -1 1h-4a1 1 0 0 1 -1 -1l0 -4',
  'M7 17l0 .01',
  'M14 5a1 1 0 0 1 1 -1h4a1 1 0 0 1 1 1v4a1 1 0 0 1 -1 1h-4a1 1 0 0 1 -1 -1l0 -4',
  'M7 7l0 .01',
  'M4 15a1 1 0 0 1 1 -1h4a1 1 0 0 1 1 1v4a1 1 0 0 1 -1 1h-4a1 1 0 0 1 -1 -1l0 -4',
  'M17 7l0 .01',
  'M14 14l3 0',
  'M20 14l0 .01',
  'M14 14l0 3',
  'M14 20l3 0',
  'M17 17l3 0',
  'M20 17l0 3',
)
export const IconQuote = /* @__PURE__ */ icon(
  'quote',
  'M10 11h-4a1 1 0 0 1 -1 -1v-3a1 1 0 0 1 1 -1h3a1 1 0 0 1 1 1v6c0 2.667 -1.333 4.333 -4 5',
  'M19 11h-4a1 1 0 0 1 -1 -1v-3a1 1 0 0 1 1 -1h3a1 1 0 0 1 1 1v6c0 2.667 -1.333 4.333 -4 5',
)
export const IconRefresh = /* @__PURE__ */ icon(
  'refresh',
  'M20 11a8.1 8.1 0 0 0 -15.5 -2m-.5 -4v4h4',
  'M4 13a8.1 8.1 0 0 0 15.5 2m.5 4v-4h-4',
)
export const IconSearch = /* @__PURE__ */ icon(
  'search',
  'M3 10a7 7 0 1 0 14 0a7 7 0 1 0 -14 0',
  'M21 21l-6 -6',
)
export const IconSend2 = /* @__PURE__ */ icon(
  'send-2',
  'M4.698 4.034l16.302 7.966l-16.302 7.966a.503 .503 0 0 1 -.546 -.124a.555 .555 0 0 1 -.12 -.568l2.468 -7.274l-2.468 -7.274a.555 .555 0 0 1 .12 -.568a.503 .503 0 0 1 .546 -.124',
  'M6.5 12h14.5',
)
export const IconSelector = /* @__PURE__ */ icon('selector', 'M8 9l4 -4l4 4', 'M16 15l-4 4l-4 -4')
export const IconSettings = /* @__PURE__ */ icon(
  'settings',
  'M10.325 4.317c.426 -1.756 2.924 -1.756 3.35 0a1.724 1.724 0 0 0 2.573 1.066c1.543 -.94 3.31 .826 2.37 2.37a1.724 1.724 0 0 0 1.065 2.572c1.756 .426 1.756 2.924 0 3.35a1.724 1.724 0 0 0 -1.066 2.573c.94 1.543 -.826 3.31 -2.37 2.37a1.724 1.724 0 0 0 -2.572 1.065c-.426 1.756 -2.924 1.756 -3.35 0a1.724 1.724 0 0 0 -2.573 -1.066c-1.543 .94 -3.31 -.826 -2.37 -2.37a1.724 1.724 0 0 0 -1.065 -2.572c-1.756 -.426 -1.756 -2.924 0 -3.35a1.724 1.724 0 0 0 1.066 -2.573c-.94 -1.543 .826 -3.31 2.37 -2.37c1 .608 2.296 .07 2.572 -1.065',
  'M9 12a3 3 0 1 0 6 0a3 3 0 0 0 -6 0',
)
export const IconShare = /* @__PURE__ */ icon(
  'share',
  'M3 12a3 3 0 1 0 6 0a3 3 0 1 0 -6 0',
  'M15 6a3 3 0 1 0 6 0a3 3 0 1 0 -6 0',
  'M15 18a3 3 0 1 0 6 0a3 3 0 1 0 -6 0',
  'M8.7 10.7l6.6 -3.4',
  'M8.7 13.3l6.6 3.4',
)
export const IconShieldLock = /* @__PURE__ */ icon(
  'shield-lock',
  'M12 3a12 12 0 0 0 8.5 3a12 12 0 0 1 -8.5 15a12 12 0 0 1 -8.5 -15a12 12 0 0 0 8.5 -3',
  'M11 11a1 1 0 1 0 2 0a1 1 0 1 0 -2 0',
  'M12 12l0 2.5',
)
export const IconStar = /* @__PURE__ */ icon(
  'star',
  'M12 17.75l-6.172 3.245l1.179 -6.873l-5 -4.867l6.9 -1l3.086 -6.253l3.086 6.253l6.9 1l-5 4.867l1.179 6.873l-6.158 -3.245',
)
export const IconStrikethrough = /* @__PURE__ */ icon(
  'strikethrough',
  'M5 12l14 0',
  'M16 6.5a4 2 0 0 0 -4 -1.5h-1a3.5 3.5 0 0 0 0 7h2a3.5 3.5 0 0 1 0 7h-1.5a4 2 0 0 1 -4 -1.5',
)
export const IconSun = /* @__PURE__ */ icon(
  'sun',
  'M8 12a4 4 0 1 0 8 0a4 4 0 1 0 -8 0',
  'M3 12h1m8 -9v1m8 8h1m-9 8v1m-6.4 -15.4l.7 .7m12.1 -.7l-.7 .7m0 11.4l.7 .7m-12.1 -.7l-.7 .7',
)
export const IconTable = /* @__PURE__ */ icon(
  'table',
  'M3 5a2 2 0 0 1 2 -2h14a2 2 0 0 1 2 2v14a2 2 0 0 1 -2 2h-14a2 2 0 0 1 -2 -2v-14',
  'M3 10h18',
  'M10 3v18',
)
export const IconTransfer = /* @__PURE__ */ icon('transfer', 'M20 10h-16l5.5 -6', 'M4 14h16l-5.5 6')
export const IconTrash = /* @__PURE__ */ icon(
  'trash',
  'M4 7l16 0',
  'M10 11l0 6',
  'M14 11l0 6',
  'M5 7l1 12a2 2 0 0 0 2 2h8a2 2 0 0 0 2 -2l1 -12',
  'M9 7v-3a1 1 0 0 1 1 -1h4a1 1 0 0 1 1 1v3',
)
export const IconUpload = /* @__PURE__ */ icon(
  'upload',
  'M4 17v2a2 2 0 0 0 2 2h12a2 2 0 0 0 2 -2v-2',
  'M7 9l5 -5l5 5',
  'M12 4l0 12',
)
export const IconUser = /* @__PURE__ */ icon(
  'user',
  'M8 7a4 4 0 1 0 8 0a4 4 0 0 0 -8 0',
  'M6 21v-2a4 4 0 0 1 4 -4h4a4 4 0 0 1 4 4v2',
)
export const IconUsers = /* @__PURE__ */ icon(
  'users',
  'M5 7a4 4 0 1 0 8 0a4 4 0 1 0 -8 0',
  'M3 21v-2a4 4 0 0 1 4 -4h4a4 4 0 0 1 4 4v2',
  'M16 3.13a4 4 0 0 1 0 7.75',
  'M21 21v-2a4 4 0 0 0 -3 -3.85',
)
export const IconX = /* @__PURE__ */ icon('x', 'M18 6l-12 12', 'M6 6l12 12')
export const IconWebhook = /* @__PURE__ */ icon(
  'webhook',
  'M4.876 13.61a4 4 0 1 0 6.124 3.39h6',
  'M15.066 20.502a4 4 0 1 0 1.934 -7.502c-.706 0 -1.424 .179 -2 .5l-3 -5.5',
  'M16 8a4 4 0 1 0 -8 0c0 1.506 .77 2.818 2 3.5l-3 5.5',
)
