/** The record of lines: what pushes have taught, by shape, in batches; its pages, its export and import. */
import * as v from "valibot";
import { canonicalHost } from "../api/identity.ts";
import { type EvidenceRecord, evidenceImport, evidenceLimits } from "../api/rehearsal/rehearsal.ts";
import { requireScope } from "../auth/caller.ts";
import { ServiceError } from "../base/errors.ts";
import { refuse } from "../base/issues.ts";
import type { Log } from "../base/log.ts";
import { yieldToEventLoop } from "../base/time/yield.ts";
import { isShape } from "../configlines/shape.ts";
import type { Snapshot } from "../inventory/port.ts";
import type { PlatformPlugin } from "../plugin/index.ts";
import type { EvidencePlace, NewEvidence, Store, StoredEvidence } from "../store/port.ts";
import { sampleOf } from "./device-words.ts";
import type { LineRecord, PushedLines } from "./port.ts";
import { majorOf } from "./version.ts";

interface Versions extends Pick<Snapshot, "facts"> {
  devicesAt(hostKey: string): readonly { readonly name: string }[];
}

export interface RecordOptions {
  readonly store: Pick<Store, "evidence" | "clock">;
  /** To find the versions of devices. */
  readonly inventory: { snapshot(): Promise<Versions> };
  readonly log: Log;
  readonly iso: (ms: number) => string;
  /** By name or alias. */
  platform(name: string): PlatformPlugin | undefined;
  /** Shapes that are kept. Default: a million. */
  readonly most?: number;
}

/** Lines that wait for a flush, and shapes that are written at once; what is more teaches nothing. */
const mostWaiting = 20_000;
const mostWritten = 5_000;
/** Of the bound: after so many new shapes all are counted. */
const countedAgain = 0.01;
/** Lines of one push that are looked at: some tenths of a second, on the main thread. */
const mostOfPush = 500;

export function createLineRecord({
  store,
  inventory,
  log,
  iso,
  platform: find,
  most = evidenceLimits.shapes,
}: RecordOptions): LineRecord {
  const { evidence } = store;
  let waiting: PushedLines[] = [];
  let lines = 0;
  let last: Promise<void> = Promise.resolve();
  /** Of a failed write: it goes with the next one. */
  let kept = new Map<string, NewEvidence>();

  /** Shapes that may be added before they are counted: that reads all of them. */
  let room = 0;

  async function keepBound(added: number): Promise<void> {
    room -= added;
    if (room > 0) return;
    const slack = Math.ceil(most * countedAgain);
    const left = most - (await evidence.count());
    for (let over = left < 0 ? slack - left : 0; over > 0; ) {
      const gone = await evidence.trim(over);
      if (gone === 0) break;
      over -= gone;
      await yieldToEventLoop();
    }
    room = left < 0 ? slack : Math.min(slack, left);
  }

  async function write(): Promise<void> {
    const pushes = waiting;
    [waiting, lines] = [[], 0];
    if (pushes.length === 0 && kept.size === 0) return;
    const counts = kept;
    kept = new Map();
    try {
      const snapshot = await inventory.snapshot();
      const facts = await snapshot.facts();
      const { learn } = await import("./learning.ts");
      for (const push of pushes) {
        const platform = find(push.platform ?? "");
        if (platform === undefined) continue;
        const names = snapshot.devicesAt(canonicalHost(push.host)).map(({ name }) => name.toLowerCase());
        const versions = new Set(names.map((name) => majorOf(facts.get(name)?.version) ?? ""));
        const version = versions.size === 1 ? ([...versions][0] ?? "") : "";
        learn(counts, push, platform, version);
        await yieldToEventLoop();
      }
      const rows = [...counts.values()].slice(0, mostWritten);
      await evidence.add(rows, store.clock.wall());
      await keepBound(rows.length);
    } catch (error) {
      log.warn("evidence.not_written", { reason: String(error) });
      if (counts.size <= mostWritten) kept = counts;
    }
  }

  return {
    pushed({ lines: all, refused, ...push }) {
      const taken = all.slice(0, mostOfPush);
      // Where it stands is told by all lines before it.
      const last = refused !== undefined && taken.length === all.length ? { refused } : {};
      const count = taken.length + Object.keys(last).length;
      if (count === 0 || push.platform === null || lines + count > mostWaiting) return;
      lines += count;
      waiting.push({ ...push, lines: taken, ...last });
    },

    flush() {
      last = last.then(write);
      return last;
    },

    async page({ platform }, caller, { limit, cursor }) {
      requireScope(caller, "read");
      const rows = await evidence.page(
        platform,
        cursor === undefined ? undefined : placeIn(cursor),
        limit + 1,
      );
      const items = rows.slice(0, limit);
      const end = rows.length > limit ? items.at(-1) : undefined;
      return { items: items.map((row) => recordOf(row, iso)), next: end && cursorOf(end) };
    },

    async add(body, caller) {
      requireScope(caller, "admin");
      const read = v.safeParse(evidenceImport, body);
      if (!read.success)
        return refuse(
          read.issues
            .slice(0, 10)
            .map((issue) => ({ path: v.getDotPath(issue) ?? "", message: issue.message })),
        );
      const given = read.output.evidence;
      for (const [at, { platform, section, shape, error }] of given.entries()) {
        const place = `evidence.${at}`;
        if (find(platform) === undefined)
          refuse([{ path: `${place}.platform`, message: "is the name of no platform" }]);
        // Anything else could be what the export leaves out.
        if (!isShape(section) && section !== "") refuse([{ path: `${place}.section`, message: notShape }]);
        if (!isShape(shape)) refuse([{ path: `${place}.shape`, message: notShape }]);
        if (error !== null && error !== sampleOf(error, []))
          refuse([{ path: `${place}.error`, message: "has values: export it from a service" }]);
      }
      const now = store.clock.wall();
      const rows = given.map(({ platform, version, error, last_at: _, ...counts }) => ({
        ...counts,
        ...{ platform: find(platform)?.name ?? platform, versionMajor: version, sampleError: error },
      }));
      await evidence.add(rows, now);
      await keepBound(rows.length);
      return { added: rows.length };
    },
  };
}

const notShape = "is no shape: it has words that are no keywords";

function recordOf(row: StoredEvidence, iso: (ms: number) => string): EvidenceRecord {
  return {
    ...{ platform: row.platform, version: row.versionMajor, section: row.section, shape: row.shape },
    ...{ accepted: row.accepted, refused: row.refused, last_at: iso(row.lastAt) },
    // An earlier version has kept more of them.
    error: row.sampleError === null ? null : sampleOf(row.sampleError, []),
  };
}

function cursorOf({ platform, section, shape, versionMajor }: EvidencePlace): string {
  return Buffer.from(JSON.stringify([platform, section, shape, versionMajor])).toString("base64url");
}

const place = v.pipe(
  v.string(),
  v.parseJson(),
  v.strictTuple([v.string(), v.string(), v.string(), v.string()]),
);

function placeIn(cursor: string): EvidencePlace {
  const read = v.safeParse(place, Buffer.from(cursor, "base64url").toString());
  if (!read.success)
    throw new ServiceError("BadRequest", "The cursor is invalid: it was not issued by this service.");
  const [platform, section, shape, versionMajor] = read.output;
  return { platform, section, shape, versionMajor };
}
