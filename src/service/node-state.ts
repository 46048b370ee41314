/** What metrics and SIGUSR2 tell of the node, read from the store. */
import type { HistoryState, NodeState } from "../metrics/port.ts";
import type { Store } from "../store/port.ts";

const dayMs = 86_400_000;

/** State of the node: what a metrics scrape reads from the store, and what SIGUSR2 logs. */
const maxWebhooks = 10_000;

export async function nodeStateOf(store: Store): Promise<NodeState> {
  const [oldest, { count, since }] = await Promise.all([
    store.jobs.oldestQueuedAt(),
    store.deliveries.waiting(maxWebhooks),
  ]);
  const secondsSince = (at: number | undefined) =>
    at === undefined ? 0 : Math.max(0, store.clock.wall() - at) / 1000;
  return { queueSeconds: secondsSince(oldest), webhooks: count, webhookSeconds: secondsSince(since) };
}

/** Counts rows, so one answer serves the scrapes of a while. */
const historyMs = 30_000;

export function createHistoryState({ history, clock }: Store, named: number): () => Promise<HistoryState> {
  let known: { readonly at: number; readonly state: Promise<HistoryState> } | undefined;
  const ageOf = (at: number) => Math.max(0, clock.wall() - at) / 1000;

  async function read(): Promise<HistoryState> {
    const { oldestGoodAt, ...sums } = await history.summary();
    const oldest = named === 0 ? [] : await history.stale(clock.wall() + dayMs, named);
    return {
      ...{ ...sums, oldestGoodSeconds: oldestGoodAt === undefined ? undefined : ageOf(oldestGoodAt) },
      oldest: oldest.flatMap(({ shown, takenAt }) =>
        takenAt === null ? [] : [{ device: shown, seconds: ageOf(takenAt) }],
      ),
    };
  }

  return () => {
    const now = clock.steady();
    if (known === undefined || now - known.at > historyMs) {
      const state = read();
      known = { at: now, state };
      state.catch(() => {
        known = undefined;
      });
    }
    return known.state;
  };
}
