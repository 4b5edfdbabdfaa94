import type { Migration } from '@latchkey/database/migrate'
import { schema } from './migrations/0001-schema.ts'
import { sealedAnswers } from './migrations/0002-sealed-answers.ts'
import { robots } from './migrations/0003-robots.ts'
import { unappliedPlans } from './migrations/0004-unapplied-plans.ts'
import { foldedText } from './migrations/0005-folded-text.ts'
import { languages } from './migrations/0006-languages.ts'
import { wireWords } from './migrations/0007-wire-words.ts'
import { legacyPaths } from './migrations/0008-legacy-paths.ts'
import { deliveryRequests } from './migrations/0009-delivery-requests.ts'
import { habits } from './migrations/0010-habits.ts'
import { qrPresets } from './migrations/0011-qr-presets.ts'

export const migrations: Readonly<Record<string, Migration>> = {
  '0001-schema': schema,
  '0002-sealed-answers': sealedAnswers,
  '0003-robots': robots,
  '0004-unapplied-plans': unappliedPlans,
  '0005-folded-text': foldedText,
  '0006-languages': languages,
  '0007-wire-words': wireWords,
  '0008-legacy-paths': legacyPaths,
  '0009-delivery-requests': deliveryRequests,
  '0010-habits': habits,
  '0011-qr-presets': qrPresets,
}
