import type { Page, Person } from './person.ts'

/** A third-party provider, as the proofs use it. Its only account is Alice's. */
export interface RealProvider {
  readonly origin: string
  /**
   * Starts at the page to which Rooms redirects: signs in, agrees, and returns the page at Rooms.
   */
  signIn(person: Person, page: Page): Promise<Page>
  /** Signs in like `signIn`, but Alice refuses consent. */
  refuse(person: Person, page: Page): Promise<Page>
  /** Sets the claims of Alice from now on. */
  rename(name: string, email: string): Promise<void>
  stop(): Promise<void>
}

/** A provider that ends sessions, in both directions. */
export interface LogoutProvider extends RealProvider {
  /**
   * Starts at the page of `logoutUrl`: agrees to end the session, and returns the page at Rooms.
   */
  agreeToSignOut(person: Person, page: Page): Promise<Page>
  /**
   * Ends the session at the provider itself, without Rooms. Returns after the provider has notified
   * Rooms.
   */
  signOutThere(person: Person): Promise<void>
}
