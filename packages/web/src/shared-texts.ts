import type en from './texts/en/shared.ts'

/**
 * Keys of the texts of the package's own components. The texts of each app include them, and each
 * app has its own `app.name`.
 */
export type SharedTextKey = keyof typeof en | 'app.name'
