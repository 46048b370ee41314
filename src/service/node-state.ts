/** What metrics and SIGUSR2 tell of the node, read from the store. */
import type { HistoryState, NodeState } from "../metrics/port.ts";
import type { DriftTally, Store } from "../store/port.ts";

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
const keptMs = 30_000;

export function createHistoryState({ history, clock }: Store, named: number): () => Promise<HistoryState> {
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

  return keptFor(clock, read);
}

/** How drift is told now; undefined: there are no intents. */
export function createDriftState({ intents, clock }: Store, freshMs: number) {
  return keptFor(clock, async (): Promise<DriftTally | undefined> => {
    const tally = await intents.tally(clock.wall() - freshMs);
    return tally.states.size === 0 ? undefined : tally;
  });
}

function keptFor<T>({ steady }: Pick<Store["clock"], "steady">, read: () => Promise<T>): () => Promise<T> {
  let known: { readonly at: number; readonly state: Promise<T> } | undefined;
  return () => {
    const now = steady();
    if (known === undefined || now - known.at > keptMs) {
      const state = read();
      known = { at: now, state };
      state.catch(() => {
        known = undefined;
      });
    }
    return known.state;
  };
}
