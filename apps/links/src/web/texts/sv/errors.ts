import type en from '../en/errors.ts'

export default {
  'error.slugTaken': 'Kortnamnet är upptaget.',
  'error.guestSlugsMany': 'Du kan lägga till högst 50 kortnamn på en länk som någon annan äger.',
  'error.slugsMany':
    'En länk kan ha högst 5 000 kortnamn. Ta bort dem som inte används, eller skapa en länk till.',
  'error.urlInvalid': 'Ange en giltig http- eller https-URL.',
  'error.slugEmpty': 'Ange ett kortnamn.',
  'error.slugSymbols': 'Använd bokstäver från a till z och siffror. Inuti går även . _ ~ och -',
  'error.slugLong': 'Ett kortnamn får ha högst 128 tecken.',
  'error.slugReserved': 'Kortnamnet är reserverat. Välj ett annat.',
  'error.labelLong': 'En etikett får ha högst 500 tecken.',
  'error.searchLong': 'En sökning får ha högst 256 tecken.',
  'error.expiry': 'Välj en annan utgångstid.',
  'error.characters': 'Texten innehåller tecken som inte kan sparas. Skriv den igen.',
  'error.linkGone': 'Länken har tagits bort.',
  'error.slugGone': 'Kortnamnet har tagits bort.',
  'error.bundleGone': 'Samlingen har tagits bort.',
  'error.gone': 'Hittades inte. Ladda om sidan.',
  'error.notOwner': 'Bara länkens ägare kan göra det här.',
  'error.notBundleOwner': 'Bara samlingens ägare kan göra det här.',
  'error.forbidden':
    'Du har inte behörighet att göra det här. Ladda om sidan, eller kontakta din administratör.',
  'error.slugHasClicks': 'Kortnamnet togs inte bort eftersom det har klick.',
  'error.disabledPrimary': 'Ett avstängt kortnamn kan inte vara primärt. Slå på det först.',
  'error.automaticDisable':
    'Du kan inte stänga av det automatiska kortnamnet. Stäng av hela länken i stället.',
  'error.automaticRemove': 'Du kan inte ta bort det automatiska kortnamnet. Ta bort hela länken i stället.',
  'error.qrLevel': 'URL:en är för lång för den nivån av felkorrigering. Välj en lägre.',
  'error.listMoved': 'Listan har ändrats. Ladda om sidan.',
  'error.tooLarge': 'Det är för stort. Korta ner det, eller dela upp filen.',
  'error.tooMany': 'För många förfrågningar. Vänta en stund och försök igen.',
  'error.refused': 'Något du angav är ogiltigt. Kontrollera det och försök igen.',
  'error.internal': 'Något gick fel. Försök igen, och kontakta din administratör om det fortsätter.',
  'error.storage': 'Databasen är inte tillgänglig. Inget ändrades. Försök igen senare.',
  'error.notAdmin': 'Bara en administratör för instansen kan ändra det här.',
  'error.linkChanged': 'Länken har ändrats under tiden. Ladda om sidan.',
  'error.behaviourLong':
    'Reglerna och URL:erna är för långa tillsammans. Ta bort några, eller korta URL:erna.',
  'error.linkRing': 'Det skulle leda besökare tillbaka till den här länken. Välj ett annat mål.',
  'error.linkChain': 'Det skulle leda besökare genom fler än fem kortlänkar. Välj ett annat mål.',
  'error.variantGone': 'Fördelningen har ändrats. Ladda om sidan.',
  'error.noPassword': 'Länken har inget lösenord än. Ange ett.',
  'error.deletionStopped':
    'Databasen blev otillgänglig innan alla klick hade tagits bort. Försök igen senare för att ta bort resten.',
  'error.unavailable': 'Tillfälligt otillgängligt. Försök igen senare.',
} satisfies Record<keyof typeof en, string>
