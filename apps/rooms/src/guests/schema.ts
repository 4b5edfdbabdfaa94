import { z } from 'zod'
import { text } from '@latchkey/http/text'
import { MAX_INPUT_LENGTH } from '../identity/display-name.ts'

/** The length is measured in graphemes, after cleaning (R14.6). */
export const NicknameBody = z.object({
  nickname: text()
    .trim()
    .max(MAX_INPUT_LENGTH)
    .meta({ minLength: 1, description: '1 to 64 user-perceived characters.' }),
})
