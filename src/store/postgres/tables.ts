/**
 * Tables of the store. `*_at` is wall-clock time for display, `*_t` is the store's steady time for decisions; both in
 * ms.
 */
import { is } from "drizzle-orm";
import { PgTable } from "drizzle-orm/pg-core";
import * as access from "./tables/access.ts";
import * as audit from "./tables/audit.ts";
import * as changes from "./tables/changes.ts";
import * as history from "./tables/history.ts";
import * as intent from "./tables/intent.ts";
import * as inventory from "./tables/inventory.ts";
import * as jobs from "./tables/jobs.ts";
import * as ledger from "./tables/ledger.ts";
import * as nodes from "./tables/nodes.ts";
import * as recipes from "./tables/recipes.ts";
import * as rehearsal from "./tables/rehearsal.ts";
import * as schedules from "./tables/schedules.ts";
import * as webhooks from "./tables/webhooks.ts";

export * from "./tables/access.ts";
export * from "./tables/audit.ts";
export * from "./tables/changes.ts";
export * from "./tables/history.ts";
export * from "./tables/intent.ts";
export * from "./tables/inventory.ts";
export * from "./tables/jobs.ts";
export * from "./tables/ledger.ts";
export * from "./tables/nodes.ts";
export * from "./tables/recipes.ts";
export * from "./tables/rehearsal.ts";
export * from "./tables/schedules.ts";
export * from "./tables/webhooks.ts";

export const allTables: readonly PgTable[] = [
  jobs,
  schedules,
  webhooks,
  inventory,
  history,
  changes,
  intent,
  recipes,
  access,
  audit,
  ledger,
  nodes,
  rehearsal,
]
  .flatMap((stated) => Object.values<unknown>(stated))
  .filter((value) => is(value, PgTable));

/** In \`meta\`: a word sealed with the master key, which another key does not open. */
export const keyCheck = { table: "meta", row: "key", field: "check" } as const;
