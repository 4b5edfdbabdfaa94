const CHOICE = 'desktop-notifications'

/** Whether this browser shows notifications, and whether it can. */
export type DesktopState = 'on' | 'off' | 'denied' | 'unsupported'

export function desktopState(): DesktopState {
  if (!('Notification' in globalThis)) return 'unsupported'
  if (Notification.permission === 'denied') return 'denied'
  return Notification.permission === 'granted' && localStorage.getItem(CHOICE) === 'on' ? 'on' : 'off'
}

/** Turns notifications of this browser on or off. Asks the user for permission first. */
export async function setDesktop(isOn: boolean): Promise<DesktopState> {
  if (isOn) await Notification.requestPermission()
  localStorage.setItem(CHOICE, isOn ? 'on' : 'off')
  return desktopState()
}

/** Shows a notification, in the place of the last one of this room. `open` is called on a click. */
export function showDesktop(roomId: string, text: string, open: () => void): void {
  if (desktopState() !== 'on') return
  try {
    const notification = new Notification(text, { tag: roomId, icon: '/icon-192.png' })
    notification.addEventListener('click', () => {
      window.focus()
      open()
      notification.close()
    })
  } catch {
    // Phones show notifications of a service worker only.
  }
}
