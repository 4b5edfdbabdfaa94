// Files of NAME=value lines that systemd, Compose and shells read alike.

/** Characters that mean themselves without quotes. */
const PLAIN = /^[\w@%+:,./=-]*$/

/** Formats one setting. */
export function formatLine(name: string, value: string): string {
  if (PLAIN.test(value)) return `${name}=${value}`
  if (!value.includes("'")) return `${name}='${value}'`
  return `${name}="${value.replaceAll(/[\\"$`]/g, String.raw`\$&`)}"`
}

export interface EnvFile {
  readonly values: Readonly<Record<string, string>>
  /** Lines that are neither a setting nor a comment, and names that come twice, each as a sentence. */
  readonly faults: readonly string[]
}

/**
 * Reads NAME=value lines. Values may be in single or double quotes. Empty lines and lines that begin
 * with `#` are skipped. Of a name that comes twice, the last value counts, as systemd has it. Faults
 * never contain a value, which may be a secret.
 */
export function parseEnvFile(text: string): EnvFile {
  const values: Record<string, string> = Object.create(null)
  const faults: string[] = []
  for (const [index, line] of text
    .replace(/^\uFEFF/, '')
    .split(/\r?\n/)
    .entries()) {
    const trimmed = line.trim()
    if (trimmed === '' || trimmed.startsWith('#')) continue
    const [, name, quoted = ''] = /^(?:export\s+)?([A-Za-z_]\w*)=(.*)$/.exec(trimmed) ?? []
    const value = name === undefined ? undefined : unquote(quoted)
    if (name === undefined || value === undefined) faults.push(`line ${index + 1} is not NAME=value`)
    else {
      if (Object.hasOwn(values, name)) faults.push(`line ${index + 1} has ${name} again`)
      values[name] = value
    }
  }
  return { values, faults }
}

/** Undefined for a quote without its end, and for text after it. */
export function unquote(text: string): string | undefined {
  const [, single, double] = /^(?:'([^']*)'|"((?:[^"\\]|\\.)*)")$/.exec(text) ?? []
  if (single !== undefined) return single
  if (double !== undefined) return double.replaceAll(/\\([\\"$`])/g, '$1')
  return /^["']/.test(text) ? undefined : text
}
