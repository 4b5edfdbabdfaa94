/** The result of one check. */
export interface Finding {
  level: 'ok' | 'warn' | 'fail'
  name: string
  /** The state and, unless it is ok, the remedy. One line. */
  sentence: string
}

/** A finding without a problem. */
export function ok(name: string, sentence: string): Finding {
  return { level: 'ok', name, sentence }
}

/** A finding that works but may not be intended. */
export function warn(name: string, sentence: string): Finding {
  return { level: 'warn', name, sentence }
}

/** A finding that keeps the service from starting or from working as promised. */
export function fail(name: string, sentence: string): Finding {
  return { level: 'fail', name, sentence }
}
