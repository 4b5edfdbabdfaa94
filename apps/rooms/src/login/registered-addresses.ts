/** What an operator registers at the provider, to the letter (R5.7, R12.2, R13). */
export interface RegisteredAddresses {
  readonly redirectUri: string
  /** Null while back-channel logout is off. */
  readonly backchannelLogoutUri: string | null
  readonly postLogoutRedirectUri: string
}

export function registeredAddresses(
  canonicalOrigin: string,
  backchannelLogout: boolean,
): RegisteredAddresses {
  return {
    redirectUri: `${canonicalOrigin}/api/auth/callback`,
    backchannelLogoutUri: backchannelLogout ? `${canonicalOrigin}/api/auth/backchannel-logout` : null,
    postLogoutRedirectUri: canonicalOrigin,
  }
}
