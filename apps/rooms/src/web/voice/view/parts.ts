// One script: who needs one of these usually needs the others soon.
export { AlertList } from './alert-list.tsx'
export { CallBar } from './call-bar.tsx'
export { CallView } from './call-view.tsx'
export { JoinPanel } from './join-panel.tsx'
