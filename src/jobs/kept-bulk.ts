/** What is kept of a bulk for a retry: once what its devices share, and for each job what is its own. */
import { createManyTexts, shortestOfMany } from "../base/many-texts.ts";
import type { RawMembers } from "../base/raw-members.ts";
import type { ExpandedBulk } from "./bulk-selection.ts";
import {
  type Removed,
  type SecretFinder,
  type Stripped,
  strippedEntry,
  strippedRequest,
} from "./kept-request.ts";
import type { Operation } from "./operation.ts";
import type { TemplateMembers } from "./template-members.ts";

export interface KeptParts {
  readonly kept?: string | undefined;
  readonly secrets?: string | undefined;
}

export interface KeptBulk {
  /** A device that was taken. */
  add(
    jobId: string,
    entry: Readonly<Record<string, unknown>>,
    index: number,
    operation: Operation,
    members?: TemplateMembers,
  ): void;
  /** What stands with the bulk, and with each of its jobs; nothing where it is too long to be kept. */
  end(): { bulk: string | undefined; jobs: ReadonlyMap<string, KeptParts> };
}

/** @param keepsSecrets they are kept for a while, sealed */
export function createKeptBulk(request: ExpandedBulk, raw: RawMembers, keepsSecrets: boolean): KeptBulk {
  const entries = new Map<string, Stripped>();
  const secrets = new Set<string>();
  const byDriver = new Map<string, Operation>();
  let first: Operation | undefined;

  function shared(operation: Operation): Stripped | undefined {
    const { connection_args: connection, devices: _devices, ...rest } = request;
    const asked = { request: rest, connection: connection ?? {}, raw, configPath: ["config"] };
    return strippedRequest(asked, { payload: knownToAny(byDriver) }, finderOf(operation, secrets));
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
          { kept: text, secrets: keepsSecrets ? secretsJson(common.removed, removed) : undefined },
        ]),
      );
      return { bulk: common.text, jobs };
    },
  };
}

/** What one driver does not know may be for another. */
function knownToAny(operations: ReadonlyMap<string, Operation>) {
  const payloads = [...operations.values()].map(({ payload }) => payload);
  return {
    connection: Object.assign({}, ...payloads.map(({ connection }) => connection)),
    driverArgs: Object.assign({}, ...payloads.map(({ driverArgs }) => driverArgs)),
  };
}

/** As the job of a bulk has them: those that its devices share, and its own. */
function secretsJson(shared: readonly Removed[], own: readonly Removed[]): string {
  return JSON.stringify({ shared, own });
}

/** The secrets of the first device in every spelling, those of the others as they are: what all share must hold none. */
function finderOf({ secrets, masker }: Operation, all: ReadonlySet<string>): SecretFinder {
  const own = new Set(secrets);
  const others = createManyTexts(
    [...all].filter((secret) => secret.length >= shortestOfMany && !own.has(secret)),
  );
  return {
    secrets: [...all],
    masker: {
      ...masker,
      // What is too much like them to be told is not kept either.
      text: (text) => (others.isIn(text) === false ? masker.text(text) : ""),
    },
  };
}
