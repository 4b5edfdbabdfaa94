export const en = {
  'lobby.search': 'Search rooms by name',
  'lobby.none': 'There are no rooms yet',
  'lobby.noneFound': 'No room has this in its name',
  'lobby.present_one': '{{count}} of {{most}} place taken',
  'lobby.present_other': '{{count}} of {{most}} places taken',
} as const

type Keys = Readonly<Record<keyof typeof en, string>>

export const sv: Keys = {
  'lobby.search': 'Sök rum på namn',
  'lobby.none': 'Det finns inga rum ännu',
  'lobby.noneFound': 'Inget rum har detta i sitt namn',
  'lobby.present_one': '{{count}} av {{most}} plats upptagen',
  'lobby.present_other': '{{count}} av {{most}} platser upptagna',
}

export const id: Keys = {
  'lobby.search': 'Cari ruang menurut nama',
  'lobby.none': 'Belum ada ruang',
  'lobby.noneFound': 'Tidak ada ruang dengan nama ini',
  'lobby.present_one': '{{count}} dari {{most}} tempat terisi',
  'lobby.present_other': '{{count}} dari {{most}} tempat terisi',
}
