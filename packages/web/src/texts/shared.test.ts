import { loadTexts, testTexts } from '../testing/texts.ts'
import { sharedTexts } from './shared.ts'

testTexts(await loadTexts(sharedTexts))
