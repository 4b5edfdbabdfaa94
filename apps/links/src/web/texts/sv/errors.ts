import type en from '../en/errors.ts'

export default {
  'error.slugTaken': 'Kortnamnet är upptaget.',
  'error.guestSlugsMany': 'Du kan lägga till högst 50 kortnamn på en länk som någon annan äger.',
  'error.slugsMany':
    'En länk kan ha 5 000 kortnamn. Ta bort några som ingen använder, eller skapa en länk till.',
  'error.urlInvalid': 'Det här är ingen giltig http- eller https-adress.',
  'error.slugEmpty': 'Skriv ett kortnamn.',
  'error.slugSymbols':
    'Ett kortnamn börjar och slutar med en bokstav från a till z eller en siffra; däremellan går även . _ ~ och -',
  'error.slugLong': 'Ett kortnamn får ha högst 128 tecken.',
  'error.slugReserved': 'Tjänsten behöver det kortnamnet själv. Välj ett annat.',
  'error.labelLong': 'En etikett får ha högst 500 tecken.',
  'error.searchLong': 'En sökning får ha högst 256 tecken.',
  'error.expiry': 'En länk kan inte gå ut vid den tiden. Välj en annan.',
  'error.characters': 'Texten innehåller tecken som inte kan sparas. Skriv den på nytt.',
  'error.linkGone': 'Länken finns inte längre; någon har tagit bort den.',
  'error.slugGone': 'Kortnamnet finns inte längre; någon har tagit bort det.',
  'error.bundleGone': 'Samlingen finns inte längre; någon har tagit bort den.',
  'error.gone': 'Det här finns inte längre. Ladda om sidan.',
  'error.notAdmin': 'Det kan bara en administratör för instansen ändra.',
  'error.linkChanged': 'Länken har ändrats under tiden. Ladda om sidan för att se hur den ser ut nu.',
  'error.behaviourLong':
    'Reglerna och adresserna är för långa tillsammans. Ta bort några eller korta adresserna.',
  'error.behaviourRing': 'Besökaren skulle komma tillbaka till den här länken. Välj ett annat mål.',
  'error.behaviourChain':
    'Besökaren skulle passera fler än fem kortlänkar på den här instansen. Välj ett annat mål.',
  'error.variantGone': 'Fördelningen har ändrats. Ladda om sidan.',
  'error.noPassword': 'Länken har inget lösenord än. Ange ett.',
  'error.notOwner': 'Det kan bara länkens ägare göra.',
  'error.notBundleOwner': 'Det kan bara samlingens ägare göra.',
  'error.forbidden': 'Du får inte göra det här. Ladda om sidan, eller fråga den som driver tjänsten.',
  'error.slugHasClicks': 'Kortnamnet togs inte bort: det har klick.',
  'error.disabledPrimary': 'Ett avstängt kortnamn kan inte vara det primära. Slå på det först.',
  'error.automaticDisable': 'Det automatiska kortnamnet kan inte stängas av. Stäng av hela länken i stället.',
  'error.automaticRemove': 'Det automatiska kortnamnet kan inte tas bort. Ta bort hela länken i stället.',
  'error.qrLevel': 'En så lång adress får inte plats på den nivån. Välj en lägre.',
  'error.listMoved': 'Listan har ändrats under tiden. Ladda om sidan.',
  'error.tooLarge': 'Det är för mycket att skicka på en gång. Korta ner det, eller dela upp filen.',
  'error.tooMany': 'För många förfrågningar på en gång. Vänta en stund och försök igen.',
  'error.refused': 'Tjänsten godtar inte det här. Kontrollera det du skrev, eller sidans adress.',
  'error.internal': 'Något gick fel i tjänsten. Försök igen; hjälper inte det, säg till den som driver den.',
  'error.storage': 'Databasen kan inte användas just nu; inget ändrades. Försök igen senare.',
  'error.deletionStopped':
    'Databasen kan inte användas längre; en del av klicken är borttagna. Försök igen senare för att ta bort resten.',
  'error.unavailable': 'Tjänsten kan inte göra det här just nu. Försök igen senare.',
} satisfies Record<keyof typeof en, string>
