/** The form in which Katello's and Foreman's answers give a time: `2021-10-27 10:11:15 UTC`. */
export function timestamp(date: Date): string
export function timestamp(date: Date | null): string | null
export function timestamp(date: Date | null): string | null {
  return date === null ? null : `${date.toISOString().slice(0, 19).replace('T', ' ')} UTC`
}
