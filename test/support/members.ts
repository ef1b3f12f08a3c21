import type { TestServer } from './test-server.ts'

const password = 'a long password'

/** Users of the first organization, one for each role, and one who belongs to no organization. */
const members = ['viewer', 'editor', 'manager', 'stranger'] as const
export type Member = (typeof members)[number]

export async function createMembers(server: TestServer): Promise<void> {
  for (const login of members) {
    const { body } = await server.ask('/api/users', { method: 'POST', body: { login, password } })
    if (login === 'stranger') continue
    await server.ask(`/content/api/organizations/1/members/${body.id}`, { method: 'PUT', body: { role: login } })
  }
}

/** What such a user logs in with. */
export function loginOf(member: Member): string {
  return `${member}:${password}`
}
