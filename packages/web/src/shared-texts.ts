import en from './texts/en/shared.ts'
import id from './texts/id/shared.ts'
import sv from './texts/sv/shared.ts'

/** Texts of the package's own components. Apps use them like their own. */
export const sharedTexts = { en, id, sv }

/** Keys of the shared texts. Each app has its own `app.name`. */
export type SharedTextKey = keyof typeof en | 'app.name'
