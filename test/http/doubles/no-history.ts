/** A history without devices. */

import type { History, HistoryFeed, HistoryImport } from "../../../src/history/port.ts";
import type { Remotes } from "../../../src/history/remotes/port.ts";
import type { Drift, Intents } from "../../../src/intent/port.ts";
import type { LineRecord } from "../../../src/rehearsal/port.ts";
import { doubleOf } from "./double.ts";

export const noFeed: HistoryFeed = {
  async *follow() {
    yield { kind: "here", n: 0 };
  },
};

export const noHistory = doubleOf<History>({
  devices: async () => ({ items: [], next: undefined }),
  changes: async () => ({ items: [], next: undefined }),
  search: async () => ({ items: [], next: undefined }),
  ofJob: async () => [],
  notify: async () => ({ device: "sw1", in_seconds: 60 }),
});

export const noRemotes = doubleOf<Remotes>({
  list: async () => [],
  pushDue: async () => false,
  stop: async () => {},
});

export const noRecord: Pick<LineRecord, "page" | "add"> = {
  page: async () => ({ items: [], next: undefined }),
  add: async () => ({ added: 0 }),
};
export const noImport: HistoryImport = {
  add: async () => ({ added: 0, known: 0, unchanged: 0, unlisted: [] }),
};

export const noIntents = doubleOf<Intents>({
  list: async () => [],
});

const noSummary = { waiting: 0, pairs: 0, states: { compliant: 0, drifted: 0, unknown: 0, intent_error: 0 } };
export const noDrift = doubleOf<Drift>({
  run: async () => noSummary,
  summary: async () => noSummary,
  page: async () => ({ items: [], next: undefined }),
  draft: async () => ({ text: "{}", value: {} }),
  lines: async () => ({ items: [], next: undefined }),
});
