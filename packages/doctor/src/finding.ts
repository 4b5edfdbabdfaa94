/** What one check found. */
export interface Finding {
  level: 'ok' | 'warn' | 'fail'
  name: string
  /** What is so, and where it should not be, what to do. One line. */
  sentence: string
}

export function ok(name: string, sentence: string): Finding {
  return { level: 'ok', name, sentence }
}

export function warn(name: string, sentence: string): Finding {
  return { level: 'warn', name, sentence }
}

export function fail(name: string, sentence: string): Finding {
  return { level: 'fail', name, sentence }
}
