/** Stores a bulk for a retry: shared parts once, and per job only its own. */

import type { RawMembers } from "../../base/json/raw-members.ts";
import { createTextSearch, minSearchLength } from "../../base/regex/text-search.ts";
import type { ExpandedBulk } from "../bulk/bulk-selection.ts";
import type { Operation } from "../request/operation.ts";
import type { TemplateMembers } from "../request/template-members.ts";
import {
  type Removed,
  type SecretFinder,
  type Stripped,
  strippedEntry,
  strippedRequest,
} from "./kept-request.ts";

export interface KeptParts {
  readonly retryRequest?: string;
  readonly secrets?: string;
}

export interface KeptBulk {
  /** Adds an accepted device. */
  add(
    jobId: string,
    entry: Readonly<Record<string, unknown>>,
    index: number,
    operation: Operation,
    members?: TemplateMembers,
  ): void;
  /** The parts stored with the bulk and with each job; undefined if too long. */
  end(): { bulk: string | undefined; jobs: ReadonlyMap<string, KeptParts> };
}

/** @param keepsSecrets whether secrets are kept, sealed and for a limited time */
export function createKeptBulk(request: ExpandedBulk, raw: RawMembers, keepsSecrets: boolean): KeptBulk {
  const entries = new Map<string, Stripped>();
  const secrets = new Set<string>();
  const byDriver = new Map<string, Operation>();
  let first: Operation | undefined;

  function shared(operation: Operation): Stripped | undefined {
    const { connection_args: connection, devices: _devices, ...rest } = request;
    const source = { request: rest, connection: connection ?? {}, raw, configPath: ["config"] };
    return strippedRequest(source, { payload: knownToAny(byDriver) }, finderOf(operation, secrets));
  }

  return {
    add(jobId, entry, index, operation, members) {
      first ??= operation;
      byDriver.set(operation.driver, operation);
      for (const secret of operation.secrets) secrets.add(secret);
      const path = ["devices", index, "config"];
      const stripped = strippedEntry(entry, operation, raw, path, operation, members);
      if (stripped !== undefined) entries.set(jobId, stripped);
    },
    end() {
      const common = first && shared(first);
      if (common === undefined) return { bulk: undefined, jobs: new Map() };
      const jobs = new Map(
        [...entries].map(([id, { text, removed }]) => [
          id,
          { retryRequest: text, secrets: keepsSecrets ? secretsJson(common.removed, removed) : undefined },
        ]),
      );
      return { bulk: common.text, jobs };
    },
  };
}

/** Fields unknown to one driver may belong to another. */
function knownToAny(operations: ReadonlyMap<string, Operation>) {
  const payloads = [...operations.values()].map(({ payload }) => payload);
  return {
    connection: Object.assign({}, ...payloads.map(({ connection }) => connection)),
    driverArgs: Object.assign({}, ...payloads.map(({ driverArgs }) => driverArgs)),
  };
}

/** Secrets of a job: those shared by the bulk, and its own. */
function secretsJson(shared: readonly Removed[], own: readonly Removed[]): string {
  return JSON.stringify({ shared, own });
}

/** Finds secrets in shared text: all forms of those of the first device, and the literal ones of the others. */
function finderOf({ secrets, masker }: Operation, allSecrets: ReadonlySet<string>): SecretFinder {
  const ownSecrets = new Set(secrets);
  const otherSecrets = createTextSearch(
    [...allSecrets].filter((secret) => secret.length >= minSearchLength && !ownSecrets.has(secret)),
  );
  return {
    secrets: [...allSecrets],
    masker: {
      ...masker,
      // If the search is inconclusive, the text is not kept.
      text: (text) => (otherSecrets.isIn(text) === false ? masker.text(text) : ""),
    },
  };
}
