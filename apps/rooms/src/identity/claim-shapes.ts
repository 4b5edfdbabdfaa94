/** Shapes of a claim from which nothing can be read, each with its remedy (R38.4). */
export const CLAIM_SHAPES = {
  several_in_text: 'one text that lists several values: let the provider send a list',
  object_list: 'a list of objects: let the provider send a list of texts',
  keyed_object:
    'an object with the value as a key: let the provider send a list of these keys, or add to the path the key and what leads to a text below it',
  object: 'an object: let the provider send a text or a list of texts, or set the path to one in it',
  elsewhere:
    'left out because it has too many values (_claim_names): let the provider send fewer, or application roles',
  not_boolean: 'email_verified is not a boolean: let the provider send true',
  no_list: 'neither a list nor an object: let the provider send a list of objects with an id and a role',
  plain_list: 'a list of plain values: let the provider send objects with an id and a role',
} as const

export type ClaimShape = keyof typeof CLAIM_SHAPES
