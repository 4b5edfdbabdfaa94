export interface DemoUser {
  readonly id: string
  readonly name: string
  readonly email: string
  readonly teams: readonly { readonly id: string; readonly name: string; readonly role: string }[]
}

const HARBOUR = { id: 'harbour', name: 'Harbour' }
const LIGHTHOUSE = { id: 'lighthouse', name: 'Lighthouse' }

/** All demo users. */
export const users: readonly DemoUser[] = [
  user('alice', 'Alice', [{ ...HARBOUR, role: 'owner' }]),
  user('bob', 'Bob', [{ ...LIGHTHOUSE, role: 'co-owner' }]),
  user('carol', 'Carol', [
    { ...HARBOUR, role: 'member' },
    { ...LIGHTHOUSE, role: 'member' },
  ]),
]

export function findUser(id: string | null | undefined): DemoUser | undefined {
  return users.find((each) => each.id === id)
}

function user(word: string, name: string, teams: DemoUser['teams']): DemoUser {
  return { id: `demo-${word}`, name, email: `${word}@demo.example`, teams }
}
