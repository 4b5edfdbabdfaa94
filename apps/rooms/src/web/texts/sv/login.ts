import type en from '../en/login.ts'

export default {
  'login.failed': 'Du är inte inloggad',
  'login.ended': 'Du har loggats ut',
  'login.ended.expired': 'Din session har gått ut. Logga in igen för att fortsätta.',
  'login.ended.signed_out': 'Du loggade ut, här eller i en annan webbläsare.',
  'login.ended.revoked':
    'Sessionen avslutades av dig, en administratör eller en ny inloggning. Logga in igen.',
  'login.ended.idp_logout': 'Du har loggat ut hos identitetstjänsten.',
  'login.ended.disabled': 'Ditt konto är inaktiverat. Kontakta administratören.',
  'login.ended.deleted': 'Ditt konto och alla dina uppgifter är raderade.',
  'login.otherAccount': 'Använd ett annat konto',
  'login.youAreGuest': 'Du är här som gästen {{name}}',
  'login.youAreGuestHelp': 'Om du loggar in avslutas gästsessionen; gästkontot förblir ett eget konto.',
  'login.stayGuest': 'Fortsätt som gäst',
  'login.goOn': 'Fortsätt som {{name}}',
  'loginError.cancelled': 'Inloggningen avbröts.',
  'loginError.interaction_required':
    'Identitetstjänsten behöver något från dig. Logga in igen för att fortsätta.',
  'loginError.state_invalid': 'Inloggningen har gått ut eller påbörjades i en annan webbläsare. Börja om.',
  'loginError.provider_error': 'Identitetstjänsten nekade inloggningen. Försök igen.',
  'loginError.provider_unavailable': 'Identitetstjänsten svarar inte. Försök igen senare.',
  'loginError.provider_misconfigured': 'Inloggningen är inte rätt inställd. Kontakta administratören.',
  'loginError.token_invalid': 'Identitetstjänstens svar kunde inte verifieras. Försök igen.',
  'loginError.identity_incomplete':
    'Identitetstjänsten delade för lite om dig, till exempel inget namn. Kontakta administratören.',
  'loginError.account_disabled': 'Ditt konto är inaktiverat. Kontakta administratören.',
  'loginError.access_not_granted':
    'Ditt konto har inte åtkomst till den här tjänsten. Logga in med ett annat konto eller kontakta administratören.',
  'loginError.too_many_attempts': 'För många inloggningsförsök. Vänta en minut och försök igen.',
  'loginError.internal': 'Något gick fel hos oss. Försök igen.',
  'loginError.unknown': 'Inloggningen misslyckades. Försök igen.',
} satisfies Record<keyof typeof en, string>
