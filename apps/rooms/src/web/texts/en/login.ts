/** Sign-in page: its notices, and the errors of failed logins. */
export default {
  'login.failed': 'You’re not signed in',
  'login.ended': 'You were signed out',
  'login.ended.expired': 'Your session expired. Sign in again to continue.',
  'login.ended.signed_out': 'You signed out, here or in another browser.',
  'login.ended.revoked': 'Your session was ended by you, an administrator or a new sign-in. Sign in again.',
  'login.ended.idp_logout': 'You signed out at the identity provider.',
  'login.ended.disabled': 'Your account is disabled. Contact your administrator.',
  'login.ended.deleted': 'Your account and all your data were deleted.',
  'login.otherAccount': 'Use another account',
  'login.youAreGuest': 'You’re here as the guest {{name}}',
  'login.youAreGuestHelp': 'Signing in ends your guest session. Your guest account stays separate.',
  'login.stayGuest': 'Continue as a guest',
  'login.goOn': 'Continue as {{name}}',
  'loginError.cancelled': 'Sign-in was cancelled.',
  'loginError.interaction_required':
    'The identity provider needs something from you. Sign in again to continue.',
  'loginError.state_invalid': 'This sign-in expired or was started in another browser. Start again.',
  'loginError.provider_error': 'The identity provider refused the sign-in. Try again.',
  'loginError.provider_unavailable': 'The identity provider isn’t responding. Try again later.',
  'loginError.provider_misconfigured': 'Sign-in isn’t set up correctly. Contact your administrator.',
  'loginError.token_invalid': 'The identity provider’s answer couldn’t be verified. Try again.',
  'loginError.identity_incomplete':
    'The identity provider didn’t share enough about you, such as your name. Contact your administrator.',
  'loginError.account_disabled': 'Your account is disabled. Contact your administrator.',
  'loginError.access_not_granted':
    'Your account may not use this service. Sign in with another account, or contact your administrator.',
  'loginError.too_many_attempts': 'Too many sign-in attempts. Wait a minute and try again.',
  'loginError.internal': 'Something went wrong on our side. Try again.',
  'loginError.unknown': 'Sign-in failed. Try again.',
}
