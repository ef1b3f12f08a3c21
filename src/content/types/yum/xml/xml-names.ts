const beginsName = 1
const continuesName = 2
const isBlank = 4

/** What each ASCII character can be. What is beyond ASCII is in a name. */
const characterKinds = kindsOfCharacters()

function kindsOfCharacters(): Uint8Array {
  const kinds = new Uint8Array(128)
  for (let code = 0; code < 128; code++) {
    const character = String.fromCharCode(code)
    if (/[A-Za-z_:]/.test(character)) kinds[code] = beginsName | continuesName
    else if (/[0-9.-]/.test(character)) kinds[code] = continuesName
    else if (/[ \t\r\n]/.test(character)) kinds[code] = isBlank
  }
  return kinds
}

/** The first place from `at` on that is no part of a name; the length of the text when there is none yet. */
export function endOfName(text: string, at: number): number {
  let end = at
  for (; end < text.length; end++) {
    const code = text.charCodeAt(end)
    if (code < 128 && ((characterKinds[code] as number) & continuesName) === 0) break
  }
  return end
}

/** The first place from `at` on that is no blank; the length of the text when there is none yet. */
export function endOfBlanks(text: string, at: number): number {
  let end = at
  for (; end < text.length; end++) {
    const code = text.charCodeAt(end)
    if (code > 32 || characterKinds[code] !== isBlank) break
  }
  return end
}

/** Whether a name can begin with the character of this code. */
export function canBeginName(code: number): boolean {
  return code >= 128 || ((characterKinds[code] as number) & beginsName) !== 0
}
