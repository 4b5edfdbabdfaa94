import { notifications } from '@mantine/notifications'

/** A word that something is done; read out, and gone by itself. */
export function tellDone(message: string): void {
  notifications.show({ message, withCloseButton: false, role: 'status' })
}

/** That something could not be done, where there is no field to say it at. */
export function tellFailed(message: string): void {
  notifications.show({ color: 'red', message, withCloseButton: false })
}
