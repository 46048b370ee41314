/** What happens to changes, as a stream that can be resumed, and singly for webhooks. */
import * as v from "valibot";
import { type ChangeNewsRecord, changeEventNames, changeStates } from "../api/changes/change.ts";
import { requireScope, shareOf } from "../auth/caller.ts";
import type { Caller } from "../auth/port.ts";
import type { Log } from "../base/log.ts";
import { createLogTail } from "../base/share/log-tail.ts";
import { giveWay } from "../base/time/yield.ts";
import type { Store, StoredChangeEvent } from "../store/port.ts";
import { readPlan } from "./planning/plan.ts";
import type { ChangeFeed, ChangeFeedEvent, ChangeNews } from "./port.ts";
import { createReach } from "./reach.ts";

export interface FeedOptions {
  readonly store: Pick<Store, "changes" | "events" | "shared">;
  readonly log: Log;
  readonly iso: (ms: number) => string;
}

interface Entry {
  readonly n: number;
  /** One object for all listeners; undefined: of another version of the service. */
  readonly record: ChangeNewsRecord | undefined;
  readonly holder: string;
  readonly hash: string | null;
}

const atOnce = 500;

export function createChangeFeed({ store, log, iso }: FeedOptions): ChangeFeed {
  const { changes, events, shared } = store;
  const reach = createReach(store);
  const tail = createLogTail<Entry>({
    after: async (n) =>
      (await changes.events(n, atOnce)).map((event) => ({
        ...{ n: event.n, record: recordOf(event, iso), holder: event.holder, hash: event.hash },
      })),
    last: changes.lastEvent,
    onWritten: events.onWritten,
    shared,
    notRead: (reason) => log.debug("changes.feed_not_read", { reason }),
  });

  async function* follow(
    id: string | undefined,
    { caller, from, signal }: Parameters<ChangeFeed["follow"]>[1],
  ): AsyncGenerator<ChangeFeedEvent> {
    requireScope(caller, "read");
    if (id !== undefined) await reach.find(id, caller);
    for await (const step of tail(from, signal)) {
      if (step.kind !== "entries") {
        yield step;
        continue;
      }
      /** Each change once for many entries. */
      const seen = new Map<string, Promise<boolean>>();
      for (const { n, record, holder, hash } of step.entries) {
        if (signal.aborted) return;
        if (record === undefined || (id !== undefined && record.id !== id)) continue;
        const may = seen.get(record.id) ?? reach.maySee({ id: record.id, holder, hash }, caller);
        seen.set(record.id, may);
        if (await may) yield { kind: "change", n, record };
      }
      await giveWay(shareOf(caller));
    }
  }

  return { follow };
}

export function createChangeNews({ store, iso }: Omit<FeedOptions, "log">): ChangeNews {
  const { changes } = store;
  const reach = createReach(store);

  return {
    async read(n) {
      const event = await changes.event(n);
      const change = event && (await changes.find(event.changeId));
      const record = event && recordOf(event, iso);
      if (change === undefined || record === undefined || record.event === null) return undefined;
      const [votes, plan] = [await changes.votes(change.id), readPlan(change.plan)];
      const given = votes.filter(
        ({ revision, verdict }) => revision === change.revision && verdict === "approve",
      ).length;
      return {
        record: { ...record, event: record.event },
        ticket: change.ticket,
        author: { kind: change.submitterKind, name: change.submitter },
        revision: change.revision,
        hash: change.hash,
        waves: plan?.waves ?? [],
        approvals: { needed: change.needed, given },
        isVisibleTo: (caller: Caller) => reach.maySee(change, caller),
      };
    },
  };
}

const state = v.picklist(changeStates);

/** @returns undefined for one of another version */
function recordOf(event: StoredChangeEvent, iso: (ms: number) => string): ChangeNewsRecord | undefined {
  const known = v.safeParse(state, event.state);
  if (!known.success) return undefined;
  return {
    id: event.changeId,
    name: event.name,
    step: event.step,
    at: iso(event.at),
    what: event.what ?? event.state,
    who: event.who,
    detail: event.detail,
    event: changeEventNames.find((name) => name === event.event) ?? null,
    state: known.output,
    wave: event.wave,
  };
}
