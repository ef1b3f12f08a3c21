import { Counter, Gauge, type Registry } from 'prom-client'
import type { PlaneTotals } from './dataplane/data-plane.ts'

type Sample = readonly [labels: Readonly<Record<string, string>>, value: number]

interface Series {
  readonly name: string
  readonly help: string
  readonly label?: string
  readonly samples: (totals: PlaneTotals) => readonly Sample[]
}

const counters: readonly Series[] = [
  {
    name: 'backhaul_link_frames_total',
    help: 'Frames that came into links and left them',
    label: 'flow',
    samples: ({ framesIn, framesOut }) => [
      [{ flow: 'in' }, framesIn],
      [{ flow: 'out' }, framesOut],
    ],
  },
  {
    name: 'backhaul_link_bytes_total',
    help: 'Bytes of the frames that came into links and left them',
    label: 'flow',
    samples: ({ bytesIn, bytesOut }) => [
      [{ flow: 'in' }, bytesIn],
      [{ flow: 'out' }, bytesOut],
    ],
  },
  {
    name: 'backhaul_link_dropped_frames_total',
    help: 'Frames that links dropped, by cause',
    label: 'cause',
    samples: ({ dropped }) => Object.entries(dropped).map(([cause, count]) => [{ cause }, count]),
  },
]

const gauges: readonly Series[] = [
  { name: 'backhaul_links_open', help: 'Links that carry frames', samples: ({ links }) => [[{}, links]] },
  {
    name: 'backhaul_link_queued_frames',
    help: 'Frames that wait in links for their time to leave',
    samples: ({ queuedFrames }) => [[{}, queuedFrames]],
  },
]

/** Shows what the data plane carries and has carried, read anew each time somebody asks. */
export function countFrames(registry: Registry, read: () => Promise<PlaneTotals>): void {
  for (const series of counters) {
    new Counter({
      ...metric(series, registry),
      async collect() {
        const samples = series.samples(await read())
        this.reset()
        for (const [labels, value] of samples) this.inc(labels, value)
      },
    })
  }
  for (const series of gauges) {
    new Gauge({
      ...metric(series, registry),
      async collect() {
        for (const [labels, value] of series.samples(await read())) this.set(labels, value)
      },
    })
  }
}

function metric({ name, help, label }: Series, registry: Registry) {
  return { name, help, labelNames: label === undefined ? [] : [label], registers: [registry] }
}
