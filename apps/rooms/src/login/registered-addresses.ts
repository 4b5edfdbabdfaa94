import { BACKCHANNEL_LOGOUT_PATH, CALLBACK_PATH } from './login-state.ts'

/** URLs to register at the provider, exactly as written (R5.7, R12.2, R13). */
export interface RegisteredAddresses {
  readonly redirectUri: string
  /** Null if back-channel logout is disabled. */
  readonly backchannelLogoutUri: string | null
  readonly postLogoutRedirectUri: string
}

export function registeredAddresses(
  canonicalOrigin: string,
  backchannelLogout: boolean,
): RegisteredAddresses {
  return {
    redirectUri: canonicalOrigin + CALLBACK_PATH,
    backchannelLogoutUri: backchannelLogout ? canonicalOrigin + BACKCHANNEL_LOGOUT_PATH : null,
    postLogoutRedirectUri: canonicalOrigin,
  }
}
