/**
 * Texts from elsewhere may hold what PostgreSQL has no place for: U+0000, and halves of surrogate pairs. Where such a
 * text is only shown, U+FFFD stands for them.
 */
export function storableText(text: string): string {
  return text.replaceAll('\0', '\ufffd').toWellFormed()
}

/** The JSON of a value in which all texts and names can be stored. */
export function storableJson(value: object): string {
  // JSON.stringify writes lone surrogates as escapes; an escaped backslash before such letters is none
  return JSON.stringify(value).replace(/\\(\\|u0000|ud[89a-f][0-9a-f]{2})/g, (found) =>
    found === '\\\\' ? found : '\\ufffd',
  )
}
