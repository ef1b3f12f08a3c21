/** Where our answers are not those that were recorded of the original, and why. */
export interface Deviation {
  /** The sentence about it in docs/differences.md. */
  readonly reason: string
  readonly steps: RegExp
  /** The places in the answer. */
  readonly places: RegExp
  /** What we answer instead, where that is another status. */
  readonly status?: number
}

const whole = /^(status|body(\..*)?)$/

export const linkDeviations: readonly Deviation[] = [
  { reason: 'The texts of errors are ours.', steps: /./, places: /^body\.message$/ },
  {
    reason: '`/v2/version` says `local: false` and which Backhaul this is.',
    steps: /^version$/,
    places: /^body\.(local|backhaul)$/,
  },
  {
    reason: 'A node that was created without looks gets those of its kind.',
    steps: /^(vpcs node|switch node|switch get|node get)/,
    places: /^body\.(symbol|width|height)$/,
  },
  {
    reason: 'A link joins exactly two free ports of two nodes.',
    steps: /^create: (no body|empty object|empty nodes)$/,
    places: whole,
    status: 400,
  },
  {
    reason: 'What is refused leaves no trace.',
    steps: /^list( after failures| links closed| links reopened| after node delete|)$/,
    places: /^body$/,
  },
  {
    reason: 'The descriptions of filters are ours.',
    steps: /^available filters/,
    places: /^body\[\d\]\.description$/,
  },
  {
    reason: 'Filters are checked before anything is stored',
    steps: /^put filters (negative loss|loss 101|loss word|scalar|unknown filter|bpf bad|delay huge)$/,
    places: whole,
    status: 400,
  },
  {
    reason: 'Filters are checked before anything is stored',
    steps: /^get after filters (negative loss|loss 101|loss word|unknown filter|bpf bad|delay huge)$/,
    places: /^body\.filters\./,
  },
  {
    reason: 'Fractions and numbers as text are accepted',
    steps: /^(put|get after) filters loss (string|float)$/,
    places: /^body\.filters\.packet_loss/,
  },
  {
    reason: 'Unknown keys are refused in a POST and ignored in a PUT.',
    steps: /^put unknown prop$/,
    places: whole,
    status: 201,
  },
  {
    reason: 'Virtual PCs of any version start',
    steps: /^start node$/,
    places: whole,
    status: 200,
  },
  { reason: 'Virtual PCs of any version start', steps: /^node get$/, places: /^body\.status$/ },
  { reason: 'Virtual PCs of any version start', steps: /^start capture named$/, places: whole, status: 201 },
  { reason: 'Virtual PCs of any version start', steps: /^pcap stream 24 bytes$/, places: whole, status: 200 },
  {
    reason: 'Virtual PCs of any version start',
    steps: /^(get capturing 2|stop capture|get after stop|node links)$/,
    places: /(capture_compute_id|capture_file_name|capturing)$/,
  },
  { reason: 'Closing a project works', steps: /^close project$/, places: whole, status: 204 },
  { reason: 'Closing a project works', steps: /^create link closed$/, places: whole, status: 403 },
  { reason: 'Closing a project works', steps: /^open project$/, places: whole, status: 201 },
  {
    reason: 'This server is its only compute',
    steps: /^computes$/,
    places: /^body\[0\]\.(capabilities\.node_types|host|name|port|protocol|user)$/,
  },
  { reason: 'Every error is JSON', steps: /^(patch not allowed|unknown route)$/, places: /^body\./ },
]
