import type { Page, Person } from './person.ts'

/** A provider that somebody else has written, as the proofs use it. Its one account is Alice's. */
export interface RealProvider {
  readonly origin: string
  /** From the page that Rooms has led to: signs in, agrees to what is asked, and returns the page at Rooms. */
  signIn(person: Person, page: Page): Promise<Page>
  /** The same, but Alice does not agree. */
  refuse(person: Person, page: Page): Promise<Page>
  /** What the provider says of Alice from now on. */
  rename(name: string, email: string): Promise<void>
  stop(): Promise<void>
}

/** One that ends sessions, in either direction. */
export interface LogoutProvider extends RealProvider {
  /** From the page that `logoutUrl` has led to: agrees to end the session, and returns the page at Rooms. */
  agreeToSignOut(person: Person, page: Page): Promise<Page>
  /** Ends the session at the provider itself, without Rooms; returns when Rooms has been told. */
  signOutThere(person: Person): Promise<void>
}
