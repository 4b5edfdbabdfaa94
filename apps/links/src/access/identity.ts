// An e-mail address has at most 320 characters (64 before the @, 255 after it), and other names are shorter.
const MOST_CHARACTERS = 320

// Control and format characters, lone surrogates, line and paragraph separators: a name with them shows as another one.
const UNSHOWABLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u

/** Whether `value` can name a person: it is stored, compared exactly and shown as it is. */
export function isIdentity(value: unknown): value is string {
  return (
    typeof value === 'string' &&
    value !== '' &&
    value.trim() === value &&
    !UNSHOWABLE.test(value) &&
    Array.from(value).length <= MOST_CHARACTERS
  )
}
