/** What each migration changes, in one sentence for people who upgrade. */
export const migrationNotes: Readonly<Record<string, string>> = {
  '0001-schema': 'Creates the tables',
  '0002-file-totals': 'Indexes files by person',
  '0003-folded-text': 'Searches without accents: texts are folded again after the start, beside the service',
  '0004-rooms-for-everyone':
    'Adds direct conversations, topics and archives, and rooms without a limit of people or age',
  '0005-retention-maximum': 'Adds the maximum retention of the instance',
  '0006-read-marks': 'Counts what people have not read from their marks alone',
  '0007-people': 'Adds profiles, pictures, statuses, blocks and who is online',
  '0008-directs': 'Indexes rooms without direct conversations',
  '0010-call-alerts': 'Adds who began a call and whom it alerts',
  '0012-groups': 'Adds rooms for groups of the identity provider',
  '0013-drafts': 'Adds drafts of messages',
  '0014-rooms-by-activity': 'Indexes rooms by activity',
  '0015-access-layer': 'Adds the sessions of Links for which Rooms is the access layer',
}
