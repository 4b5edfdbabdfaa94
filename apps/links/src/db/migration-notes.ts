/** What each migration changes, in one sentence for people who upgrade. */
export const migrationNotes: Readonly<Record<string, string>> = {
  '0001-schema': 'Creates the tables',
  '0002-sealed-answers': 'Deletes stored answers to repeated requests, which are sealed from now on',
  '0003-robots': 'Lets a domain admit previews only, or follow the instance',
  '0004-unapplied-plans': 'Indexes plans that are not applied',
  '0005-folded-text': 'Searches without accents: texts are folded again after the start, beside the service',
  '0006-languages': 'Accepts every language that the program knows',
  '0007-wire-words': 'Renames stick to sticky in behaviours, and also_of to alias_of in domains',
  '0008-legacy-paths':
    'Keeps paths of other services that links answer as well, and which of them a click came by',
  '0009-delivery-requests': 'Stores the request of each webhook delivery',
  '0010-habits': 'Adds defaults of new links and UTM templates',
  '0011-qr-presets': 'Creates the table of saved styles of QR codes',
}
