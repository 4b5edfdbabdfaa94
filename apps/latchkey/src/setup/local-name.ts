/** Names that no public authority certifies: RFC 6761, RFC 6762, RFC 8375 and ICANN's `.internal`. */
const LOCAL_ENDINGS = ['localhost', 'test', 'local', 'internal', 'home.arpa', 'lan', 'example', 'invalid']

/** Whether a host name is of a private network. */
export function isLocalName(host: string): boolean {
  return !host.includes('.') || LOCAL_ENDINGS.some((ending) => host === ending || host.endsWith(`.${ending}`))
}
