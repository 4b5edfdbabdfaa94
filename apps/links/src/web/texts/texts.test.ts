import { join } from 'node:path'
import { testTexts } from '@latchkey/web/testing/texts'
import { en } from './en.ts'
import { id } from './id.ts'
import { sv } from './sv.ts'

testTexts({ en, sv, id }, join(import.meta.dirname, '..'))
