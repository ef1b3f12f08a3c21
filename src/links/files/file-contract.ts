import { Type } from 'typebox'
import { endpoint } from '../../platform/http/endpoint.ts'

const path = {
  path: Type.String({ minLength: 1, maxLength: 4000, description: 'Below the folder; parts are parted by /' }),
}
const InProject = Type.Object({ project_id: Type.String(), ...path })
const InNode = Type.Object({ project_id: Type.String(), node_id: Type.String(), ...path })

const tag = 'Files'
const ofProject = '/v2/projects/{project_id}/files/{path...}'
const ofNode = '/v2/projects/{project_id}/nodes/{node_id}/files/{path...}'
const upload = { tag, method: 'POST', status: 201, streamsBody: true, bodyLimitBytes: 1024 ** 3 } as const
const download = { tag, method: 'GET', status: 200 } as const

export const fileEndpoints = {
  read: endpoint({ ...download, path: ofProject, summary: 'Read a file of a project', params: InProject }),
  write: endpoint({ ...upload, path: ofProject, summary: 'Write a file of a project, whole', params: InProject }),
  readOfNode: endpoint({ ...download, path: ofNode, summary: 'Read a file of a node', params: InNode }),
  writeOfNode: endpoint({ ...upload, path: ofNode, summary: 'Write a file of a node, whole', params: InNode }),
}
