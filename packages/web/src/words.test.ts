import { testTexts } from './testing/texts.ts'
import { words } from './words.ts'

testTexts(words)
