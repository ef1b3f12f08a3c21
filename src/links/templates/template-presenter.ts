import type { NodeKind } from '../nodes/node-kind.ts'
import type { Template } from './built-in-templates.ts'

/** The template object of GNS3: what all have, then the properties of the kind. */
export function presentTemplate(template: Template, kind: NodeKind): object {
  const { symbol, name_format, category } = kind.looks
  return {
    template_id: template.id,
    template_type: template.template_type,
    name: template.name,
    builtin: template.isBuiltIn,
    compute_id: template.isBuiltIn ? null : 'local',
    category,
    default_name_format: name_format,
    symbol,
    usage: '',
    console_type: consoleTypeOf(kind),
    console_auto_start: false,
    ...kind.templateProperties,
    ...template.properties,
    ...Object.fromEntries(Object.entries(template.looks).filter(([, value]) => value !== null)),
  }
}

export function consoleTypeOf({ hasConsole }: NodeKind): 'telnet' | 'none' {
  return hasConsole ? 'telnet' : 'none'
}
