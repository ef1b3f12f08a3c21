/** What a node of a template is called before it is numbered: `{name}` stands for the template's name. */
export function nodeNameOf(format: string, templateName: string): string {
  return format
    .replaceAll('{name}', () => templateName)
    .slice(0, longestName)
    .toWellFormed()
}

/** Leaves room for the number below what a name may have. */
const longestName = 90
