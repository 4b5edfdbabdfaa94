/** True on a device whose keyboard is on its screen: Enter starts a new line there, and a button sends. */
export const isTouchScreen = () => matchMedia('(pointer: coarse)').matches
