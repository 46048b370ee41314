/** The inventory: snapshots for reading, changes by document or by entry, filtered by what the key may reach. */

import * as v from "valibot";
import { inventoryLimits, upsertRequest } from "../api/inventory/inventory.ts";
import type { Caller } from "../auth/port.ts";
import { Issues } from "../base/issues.ts";
import { plain } from "../base/json/exact-json.ts";
import { isRecord } from "../base/json/members.ts";
import type { Log } from "../base/log.ts";
import type { Store } from "../store/port.ts";
import { createChange } from "./change/change.ts";
import type { IsSecretField } from "./change/check.ts";
import type { NameCredential } from "./change/credential-reach.ts";
import { createEntries } from "./change/entries.ts";
import type { Asked, Limits } from "./change/plan.ts";
import { createKnownFacts } from "./known-facts.ts";
import { createLists } from "./lists.ts";
import type { Inventory } from "./port.ts";
import { requireWriter } from "./rights.ts";
import { createReader } from "./snapshot/reader.ts";

export interface InventoryOptions {
  readonly store: Pick<Store, "inventory" | "observations">;
  readonly log: Log;
  readonly iso: (ms: number) => string;
  readonly isSecretField: IsSecretField;
  readonly nameCredential: NameCredential;
  readonly limits?: Partial<Limits> | undefined;
}

export function createInventory(options: InventoryOptions): Inventory {
  const { log, iso, isSecretField, nameCredential } = options;
  const store = options.store.inventory;
  const facts = createKnownFacts({ store: options.store.observations, iso });
  const reader = createReader({ store, log, facts: facts.all });
  const limits = { ...inventoryLimits, ...options.limits };
  const change = createChange({ store, reader, isSecretField, nameCredential, limits });
  const snapshot = async () => (await reader.read()).snapshot;
  return {
    snapshot,
    apply: (document, applied, caller) => change(() => ({ document, options: applied }), caller, true),
    async upsert(body: unknown, caller: Caller) {
      requireWriter(caller);
      const request = readUpsert(body);
      return change(() => request, caller, true);
    },
    ...createLists({ snapshot, iso, facts }),
    ...createEntries({ snapshot, iso, change, facts }),
  };
}

/** Parses the body of POST /inventory/device. */
const knownFields = Object.keys(upsertRequest.entries).join(", ");

/** @throws ServiceError Validation */
function readUpsert(body: unknown): Asked {
  const result = v.safeParse(upsertRequest, withPlainOptions(body));
  const issues = new Issues();
  if (!result.success) {
    for (const issue of result.issues) {
      const isUnknown = issue.type === "strict_object" && issue.expected === "never";
      issues.add(
        v.getDotPath(issue)?.slice(0, 64) ?? "",
        isUnknown ? `is unknown: known are ${knownFields}` : issue.message,
      );
    }
    issues.check();
    throw new TypeError("issues were told");
  }
  const { devices, groups, mode, create_groups, dry_run, max_changes, max_removals } = result.output;
  if (!devices && !groups) issues.add("devices", "devices or groups are required");
  if (mode === "mirror" && !devices)
    issues.add("devices", "is required for a mirror: a list that may be empty");
  issues.check();
  return {
    document: { devices, groups },
    options: {
      mode,
      createGroups: create_groups,
      dryRun: dry_run,
      maxChanges: max_changes,
      maxRemovals: max_removals,
    },
  };
}

function withPlainOptions(body: unknown): unknown {
  if (!isRecord(body)) return plain(body);
  const isEntries = (name: string) => name === "devices" || name === "groups";
  const members = Object.entries(body);
  return Object.fromEntries(
    members.map(([name, member]) => [
      name,
      isEntries(name) && Array.isArray(member) ? member : plain(member),
    ]),
  );
}
