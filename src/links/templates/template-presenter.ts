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
    console_type: kind.hasConsole ? 'telnet' : 'none',
    console_auto_start: false,
    ...template.properties,
    ...Object.fromEntries(Object.entries(template.looks).filter(([, value]) => value !== null)),
  }
}
