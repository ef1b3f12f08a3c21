import type { Generated, Insertable, Selectable } from 'kysely'

export interface UsersTable {
  id: Generated<number>
  login: string
  password_hash: string
  rights: Generated<string[]>
  is_disabled: Generated<boolean>
  created_at: Generated<Date>
  updated_at: Generated<Date>
}

export interface PersonalTokensTable {
  id: Generated<number>
  user_id: number
  name: string
  token_hash: Buffer
  created_at: Generated<Date>
  expires_at: Date | null
  last_used_at: Date | null
}

interface LoginFailuresTable {
  subject: string
  failures: number
  last_at: Date
}

interface SettingsTable {
  name: string
  value: string
}

export interface AuthTables {
  users: UsersTable
  personal_tokens: PersonalTokensTable
  login_failures: LoginFailuresTable
  settings: SettingsTable
}

export type UserRow = Selectable<UsersTable>
export type NewUserRow = Insertable<UsersTable>
export type PersonalTokenRow = Selectable<PersonalTokensTable>
