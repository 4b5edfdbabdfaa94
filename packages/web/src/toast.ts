import { notifications } from '@mantine/notifications'
import type { ReactNode } from 'react'

/**
 * Shows an error that belongs to no field. `close` is the label of a button that closes it.
 *
 * @example onError: (error) => showError(failure(error))
 */
export function showError(message: ReactNode, close?: string): void {
  const button =
    close === undefined ? { withCloseButton: false } : { closeButtonProps: { 'aria-label': close } }
  notifications.show({ color: 'red', message, ...button })
}

/** Shows a confirmation, which is read out and closes by itself. */
export function showSuccess(message: string): void {
  notifications.show({ message, withCloseButton: false, role: 'status' })
}
