/** Intents as they are kept, and the devices that each is for. */
import { createHash } from "node:crypto";
import * as v from "valibot";
import { type IntentRecord, type IntentRequest, intentRequest } from "../api/intent/intent.ts";
import { entryKey } from "../api/inventory/inventory.ts";
import { shareOf } from "../auth/caller.ts";
import type { Caller } from "../auth/port.ts";
import { reachOf } from "../auth/reach.ts";
import { hasRight } from "../auth/rights.ts";
import { createMasker, secretsOfJson } from "../base/secrets/mask.ts";
import { intentMarks } from "../configtext/intent/closed-marks.ts";
import { maskedIntent } from "../configtext/intent/secrets.ts";
import type { IntentSections } from "../configtext/intent/sections.ts";
import type { EffectiveDevice, Snapshot } from "../inventory/port.ts";
import { matchingDevices } from "../inventory/selector/matching-devices.ts";
import { readSelector } from "../inventory/selector/selector.ts";
import type { StoredIntent } from "../store/port.ts";

export interface Definition {
  readonly name: string;
  readonly revision: number;
  readonly owner: string;
  /** Undefined: it cannot be opened. */
  readonly request: IntentRequest | undefined;
  readonly compared: IntentSections;
  /** Of all that was written. */
  readonly digest: string;
}

const nothing: IntentSections = { sections: [], ignore: [] };

export function definitionOf({ name, revision, owner, own }: StoredIntent): Definition {
  const read = v.safeParse(v.pipe(v.string(), v.parseJson(), intentRequest), own);
  const request = read.success ? read.output : undefined;
  return {
    ...{ name, revision, owner, request },
    compared: request === undefined ? nothing : { sections: request.sections, ignore: request.ignore },
    digest: createHash("sha256")
      .update(own ?? "")
      .digest("hex"),
  };
}

/** Secrets of a text as marks, of a template masked; whoever may not read secrets sees marks that equal no other ones. */
export function intentRecordOf(
  { name, revision, changedAt, own }: StoredIntent,
  reader: Caller,
  markKey: string,
  iso: (ms: number) => string,
): IntentRecord {
  const { request, digest } = definitionOf({ name, revision, owner: "", own, changedAt });
  const { rendering } = request ?? {};
  const marks = intentMarks(markKey, hasRight(reader, "history_secrets") ? undefined : digest);
  return {
    name,
    select: request?.select ?? "",
    text: request?.text ? maskedIntent(request.text, undefined, marks).text : null,
    rendering: rendering ? shownRendering(rendering, marks) : null,
    sections: (request?.sections ?? []).map(({ name, match, mode }) => ({ name, match: [...match], mode })),
    ignore: [...(request?.ignore ?? [])],
    ...{ revision, changed_at: iso(changedAt) },
  };
}

const anyMembers = v.record(v.string(), v.unknown());

/** A template is a text with secrets of its own; its context has members with the names of secrets. */
function shownRendering(
  rendering: NonNullable<IntentRequest["rendering"]>,
  marks: (secret: string) => string,
) {
  const masker = createMasker(secretsOfJson(JSON.stringify(rendering)));
  const shown: unknown = JSON.parse(JSON.stringify(rendering), (name, value: unknown) =>
    typeof value !== "string"
      ? value
      : masker.text(name === "template" ? maskedIntent(value, undefined, marks).text : value),
  );
  return v.parse(anyMembers, shown);
}

/** How long the devices of an intent are kept: facts and the reach of a key change without the inventory. */
const keptMs = 30_000;

export type Scope = ReadonlyMap<string, EffectiveDevice>;

/** Devices by name in lower case; undefined: who wrote the intent may not read configurations any more. */
export function createScopes(ownerOf: (id: string) => Promise<Caller | undefined>) {
  const known = new WeakMap<
    Snapshot,
    Map<string, { readonly until: number; readonly scope: Promise<Scope> }>
  >();

  return {
    async ownerOf(definition: Definition): Promise<Caller | undefined> {
      const owner = await ownerOf(definition.owner);
      return owner !== undefined && hasRight(owner, "history") ? owner : undefined;
    },

    scopeOf(definition: Definition, owner: Caller | undefined, snapshot: Snapshot): Promise<Scope> {
      const key = `${definition.name} ${definition.digest} ${owner === undefined} ${owner?.hosts.join(" ") ?? ""}`;
      const now = performance.now();
      const ofSnapshot = known.get(snapshot) ?? new Map();
      known.set(snapshot, ofSnapshot);
      const found = ofSnapshot.get(key);
      if (found !== undefined && found.until > now) return found.scope;
      const scope = select(definition, owner, snapshot);
      ofSnapshot.set(key, { until: now + keptMs, scope });
      scope.catch(() => ofSnapshot.delete(key));
      return scope;
    },
  };
}

async function select(
  { request }: Definition,
  owner: Caller | undefined,
  snapshot: Snapshot,
): Promise<Scope> {
  if (request === undefined) return new Map();
  const reach = owner && reachOf(owner.hosts);
  const devices = await matchingDevices(
    snapshot.all(),
    [readSelector(request.select)],
    snapshot,
    { whose: owner === undefined ? "" : shareOf(owner) },
    ({ host }) => reach?.allows(host) !== false,
  );
  return new Map(devices.map((device) => [entryKey(device.name), device]));
}
