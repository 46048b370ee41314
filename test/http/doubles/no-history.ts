/** A history without devices. */

import { ServiceError } from "../../../src/base/errors.ts";
import type { History, HistoryFeed, HistoryImport } from "../../../src/history/port.ts";
import type { Remotes } from "../../../src/history/remotes/port.ts";
import type { Drift, Intents } from "../../../src/intent/port.ts";
import type { LineRecord } from "../../../src/rehearsal/port.ts";

const notThere = () => Promise.reject(new ServiceError("NotFound", "There is no history of that device."));

export const noFeed: HistoryFeed = {
  async *follow() {
    yield { kind: "here", n: 0 };
  },
};

export const noHistory: History = {
  devices: async () => ({ items: [], next: undefined }),
  device: notThere,
  versions: notThere,
  version: notThere,
  text: notThere,
  changes: async () => ({ items: [], next: undefined }),
  difference: notThere,
  restore: notThere,
  blame: notThere,
  search: async () => ({ items: [], next: undefined }),
  ofJob: async () => [],
  setNote: notThere,
  notify: async () => ({ device: "sw1", in_seconds: 60 }),
  rename: notThere,
  forget: notThere,
};

export const noRemotes: Remotes = {
  list: async () => [],
  read: notThere,
  put: notThere,
  remove: notThere,
  push: notThere,
  bundle: notThere,
  keep: () => Promise.reject(new ServiceError("NotFound", "There is no remote with that name.")),
  pushDue: async () => false,
  stop: async () => {},
};

export const noRecord: Pick<LineRecord, "page" | "add"> = {
  page: async () => ({ items: [], next: undefined }),
  add: async () => ({ added: 0 }),
};
export const noImport: HistoryImport = {
  add: async () => ({ added: 0, known: 0, unchanged: 0, unlisted: [] }),
};

export const noIntents: Intents = {
  list: async () => [],
  read: notThere,
  put: notThere,
  remove: notThere,
};

const noSummary = { waiting: 0, pairs: 0, states: { compliant: 0, drifted: 0, unknown: 0, intent_error: 0 } };
export const noDrift: Drift = {
  run: async () => noSummary,
  summary: async () => noSummary,
  page: async () => ({ items: [], next: undefined }),
  draft: async () => ({ text: "{}", value: {} }),
  device: notThere,
  lines: async () => ({ items: [], next: undefined }),
};
