/** Keeps the inventory in memory: polls the store for its revision and reads what has changed since. */

import type { EntryKind, OwnDevice, OwnGroup } from "../../api/inventory/inventory.ts";
import type { Log } from "../../base/log.ts";
import { yieldToEventLoop } from "../../base/time/yield.ts";
import type { InventoryStore, StoredInventoryEntry } from "../../store/port.ts";
import type { Snapshot } from "../port.ts";
import { createSnapshot } from "./snapshot.ts";
import { type Entry, emptyState, type LostDevice, readDevice, readGroup, type State } from "./state.ts";

export interface InventoryReader {
  /** The current inventory. */
  read(): Promise<Read>;
}

export interface Read {
  readonly state: State;
  readonly snapshot: Snapshot;
}

export interface ReaderTools {
  readonly store: InventoryStore;
  readonly log: Log;
  readonly facts: Snapshot["facts"];
}

const pageSize = 500;

export function createReader({ store, log, facts }: ReaderTools): InventoryReader {
  let latest: Promise<Read> = createSnapshot(emptyState, facts).then((snapshot) => ({
    state: emptyState,
    snapshot,
  }));
  /** Callers that arrive before the query is sent share its answer. */
  let asking: Promise<Read> | undefined;

  async function refresh(): Promise<Read> {
    await yieldToEventLoop();
    asking = undefined;
    const revision = await store.revision();
    const before = latest;
    const fresh = before.then(async (last) => {
      // Another caller may have read it meanwhile. A lower revision means a different inventory.
      if (last.state.revision === revision) return last;
      const state = await reload(last.state, revision);
      return state === last.state ? last : { state, snapshot: await createSnapshot(state, facts) };
    });
    // After a failure the next caller reads again.
    latest = fresh.catch(() => before);
    return fresh;
  }

  async function reload(last: State, revision: number): Promise<State> {
    if (last.revision > revision && (await store.revision()) >= last.revision) return last;
    let state = last.revision > revision ? emptyState : last;
    for (;;) {
      const next = await readChanges(state);
      if (next === "from the start") state = emptyState;
      else if (next.isWhole) return next.state;
      else state = next.state;
    }
  }

  /** Pages at one revision are consistent; if a write came in between, its changes are read next. */
  async function readChanges(from: State): Promise<{ state: State; isWhole: boolean } | "from the start"> {
    const changes: Changes = {
      devices: new Map(from.devices),
      groups: new Map(from.groups),
      lost: new Map(from.lost),
      length: from.length,
    };
    let first: number | undefined;
    let isWhole = true;
    for (const kind of ["group", "device"] as const) {
      let behind: { revision: number; key?: string } = { revision: from.revision };
      for (;;) {
        const page = await store.changed(kind, behind, pageSize);
        if (from.revision > 0 && page.purged > from.revision) return "from the start";
        first ??= page.revision;
        if (page.revision !== first) isWhole = false;
        for (const entry of page.entries) take(kind, entry, changes);
        const last = page.entries.at(-1);
        if (last === undefined || page.entries.length < pageSize) break;
        behind = last;
        await yieldToEventLoop();
      }
    }
    return { state: { ...changes, revision: first ?? 0 }, isWhole };
  }

  function take(kind: EntryKind, stored: StoredInventoryEntry, changes: Changes): void {
    const { key } = stored;
    const isThere =
      kind === "group"
        ? putInto(changes.groups, key, readGroup(stored), changes)
        : putInto(changes.devices, key, readDevice(stored), changes);
    const wasRemoved = stored.own === null && !stored.damaged;
    if (kind === "device" && (isThere || wasRemoved)) changes.lost.delete(key);
    else if (kind === "device") changes.lost.set(key, stored);
    if (!isThere && !wasRemoved) log.error("inventory.unreadable", { kind, entry: stored.key });
  }

  return {
    read() {
      asking ??= refresh();
      return asking;
    },
  };
}

interface Changes {
  readonly devices: Map<string, Entry<OwnDevice>>;
  readonly groups: Map<string, Entry<OwnGroup>>;
  readonly lost: Map<string, LostDevice>;
  length: number;
}

/** @returns false if it was removed or cannot be read. */
function putInto<T>(
  entries: Map<string, Entry<T>>,
  key: string,
  entry: Entry<T> | undefined,
  changes: Changes,
): boolean {
  changes.length += (entry?.length ?? 0) - (entries.get(key)?.length ?? 0);
  if (entry === undefined) entries.delete(key);
  else entries.set(key, entry);
  return entry !== undefined;
}
