/** A choice that may also stand alone: `vendor` means `vendor = true`. */
export const trueOrFalse: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['false', false],
])
