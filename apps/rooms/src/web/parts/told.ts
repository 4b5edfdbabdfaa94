import { notifications } from '@mantine/notifications'

/** A word that something is done; read out, and gone by itself. */
export function tellDone(message: string): void {
  notifications.show({ message, withCloseButton: false, role: 'status' })
}
