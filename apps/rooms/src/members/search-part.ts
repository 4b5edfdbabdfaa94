/** Characters that can be a word or a name alone. */
const WORD = /^[\p{Script=Hani}\p{Script=Hira}\p{Script=Kana}\p{Script=Hang}\p{Extended_Pictographic}]/u

/** Whether a part of a name is worth a search: one letter of an alphabet is in half of all names. */
export function isNarrow(part: string): boolean {
  return part !== '' && (Array.from(part).length >= 2 || WORD.test(part))
}
