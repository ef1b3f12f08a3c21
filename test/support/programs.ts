import { accessSync } from 'node:fs'
import { delimiter, join } from 'node:path'

/** The reason to skip tests with real programs; false when all are installed. */
export function lacksProgram(...names: readonly string[]): string | false {
  const missing = names.filter((name) => !isInstalled(name))
  return missing.length === 0 ? false : `needs ${missing.join(' and ')}`
}

export const lacksRoot = process.getuid?.() === 0 ? false : 'needs root'

function isInstalled(name: string): boolean {
  return `${process.env['PATH']}${delimiter}/usr/sbin${delimiter}/sbin`.split(delimiter).some((folder) => {
    try {
      accessSync(join(folder, name))
      return true
    } catch {
      return false
    }
  })
}
