import { Failure } from '@latchkey/http/failure'
import { failures } from './failures.ts'

/** The PNG of a QR code would have less than one pixel per module. */
export class QrSizeTooSmall extends Failure {
  /** Pixels. */
  readonly minSize: number

  constructor(minSize: number) {
    super('qr_too_small', {
      status: failures.qr_too_small.status,
      text: `size: must be at least ${minSize} for this code as PNG`,
    })
    this.minSize = minSize
  }
}

/** What a scanner needs of each field. */
const READABLE = {
  size: 'choose a larger one',
  margin: 'choose a wider one',
  shape: 'choose square',
  eyes: 'choose square',
  dark: 'choose a darker one',
} as const

/** The QR code was drawn, and could not be read back. */
export class QrUnreadable extends Failure {
  /** What to change. */
  readonly field: keyof typeof READABLE

  constructor(field: keyof typeof READABLE) {
    super('qr_unreadable', {
      status: failures.qr_unreadable.status,
      text: `${field}: a scanner could not read this code; ${READABLE[field]}`,
    })
    this.field = field
  }
}
