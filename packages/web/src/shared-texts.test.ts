import { testTexts } from './testing/texts.ts'
import { sharedTexts } from './shared-texts.ts'

testTexts(sharedTexts)
