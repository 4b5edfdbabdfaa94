import { testTexts } from './testing/texts.ts'
import en from './texts/en/shared.ts'
import id from './texts/id/shared.ts'
import sv from './texts/sv/shared.ts'

testTexts({ en, id, sv })
