/** What one check found. */
export interface Finding {
  level: 'ok' | 'warn' | 'fail'
  name: string
  /** What is so, and where it should not be, what to do. One line. */
  sentence: string
}

/** It is as it should be. */
export function ok(name: string, sentence: string): Finding {
  return { level: 'ok', name, sentence }
}

/** It works, and may not be what is wanted. */
export function warn(name: string, sentence: string): Finding {
  return { level: 'warn', name, sentence }
}

/** It keeps the service from starting, or from what it promises. */
export function fail(name: string, sentence: string): Finding {
  return { level: 'fail', name, sentence }
}
