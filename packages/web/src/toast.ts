import { notifications } from '@mantine/notifications'
import type { ReactNode } from 'react'

/**
 * That something could not be done, where there is no field to say it at; `close` words a button that closes it.
 *
 * @example onError: (error) => tellFailed(failure(error))
 */
export function showError(message: ReactNode, close?: string): void {
  const button =
    close === undefined ? { withCloseButton: false } : { closeButtonProps: { 'aria-label': close } }
  notifications.show({ color: 'red', message, ...button })
}

/** A word that something is done; read out, and gone by itself. */
export function showSuccess(message: string): void {
  notifications.show({ message, withCloseButton: false, role: 'status' })
}
