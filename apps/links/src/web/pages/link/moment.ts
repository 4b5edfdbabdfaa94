const two = (value: number) => String(value).padStart(2, '0')

/** Unix seconds as a field for a local date and time has them. */
export function toField(seconds: number): string {
  const date = new Date(seconds * 1000)
  const day = `${String(date.getFullYear()).padStart(4, '0')}-${two(date.getMonth() + 1)}-${two(date.getDate())}`
  return `${day}T${two(date.getHours())}:${two(date.getMinutes())}`
}

/** Null for an empty field. */
export function fromField(value: string): number | null {
  return value === '' ? null : Math.floor(Date.parse(value) / 1000)
}

/** Unix seconds as a day and a time of it, in a language. */
export function dayAndTime(seconds: number, language: string): string {
  return new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeStyle: 'short' }).format(seconds * 1000)
}
