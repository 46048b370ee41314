/** Takes in versions that were made elsewhere: masked like those of takes, in time where they belong, once. */
import {
  type ImportAnswer,
  type ImportRequest,
  importLimits,
  importRequest,
} from "../../api/history/history-import.ts";
import { entryKey } from "../../api/inventory/inventory.ts";
import { requireScope, shareOf } from "../../auth/caller.ts";
import type { Caller } from "../../auth/port.ts";
import { reachOf } from "../../auth/reach.ts";
import { requireRight } from "../../auth/rights.ts";
import { ServiceError } from "../../base/errors.ts";
import { giveWay } from "../../base/time/yield.ts";
import type { Inventory, Snapshot } from "../../inventory/port.ts";
import { checkShape } from "../../jobs/request/validate.ts";
import type { Pool } from "../../pool/port.ts";
import type { ReadPart } from "../../protocol/task.ts";
import { unpackText } from "../../runtime/text-pack.ts";
import type { ImportedVersion, NewConfigDevice, Store } from "../../store/port.ts";
import type { HistoryImport } from "../port.ts";
import { maxComparedBytes, maxTextBytes, textIn, textOf } from "../reading/texts.ts";
import { withinLimit } from "../reading/work-limit.ts";
import { newVersion, type VersionBefore } from "./takes.ts";

export interface HistoryImportOptions {
  readonly store: Pick<Store, "history" | "clock">;
  readonly inventory: Pick<Inventory, "snapshot">;
  readonly pool: Pick<Pool, "run">;
}

/** Requests at once per node: each holds its texts. */
const maxAtOnce = 2;

type Given = ImportRequest["versions"][number];
type Counts = { -readonly [K in "added" | "known" | "unchanged"]: number };

export function createHistoryImport({ store, inventory, pool }: HistoryImportOptions): HistoryImport {
  const { history } = store;
  let running = 0;

  async function readTexts(versions: readonly Given[], platform: string | null, signal: AbortSignal) {
    const texts = versions.map(({ part, text }) => ({ part, text }));
    const markKey = await history.markKey();
    return withinLimit(signal, async (deadline) => {
      const task = { kind: "readTexts" as const, texts, markKey, ...(platform === null ? {} : { platform }) };
      return (await pool.run(task, { deadline })).parts;
    });
  }

  /** Versions of one device and part, the oldest first. */
  async function addAll(
    device: NewConfigDevice,
    given: readonly Given[],
    counts: Counts,
    caller: Caller,
    signal: AbortSignal,
  ) {
    const { createTextWork } = await import("../reading/text-work.ts");
    const [textWork, share] = [createTextWork(pool), { key: shareOf(caller), job: false }];
    const { part = "running" } = given[0] ?? {};
    const name = entryKey(device.name);
    const origins = given.map(({ origin }) => origin);
    const known = new Set(await history.origins(name, part, origins));
    const wanted = given.filter(({ origin }) => !known.has(origin));
    counts.known += given.length - wanted.length;
    if (wanted.length === 0) return;
    const read = await readTexts(wanted, device.platform, signal);
    const now = store.clock.wall();
    let before = await versionBefore(name, part, Math.min(now, wanted[0]?.taken_at ?? 0));
    let base = await wholeText(name, part);
    let pending: ImportedVersion[] = [];
    const flush = async () => {
      counts.added += await history.add(device, pending);
      pending = [];
    };
    for (const [at, version] of wanted.entries()) {
      const text = read[at];
      if (text === undefined) continue;
      if (before?.compare === text.compare) {
        counts.unchanged += 1;
        continue;
      }
      const { taken_at, who = null, note, origin } = version;
      // As another program had it; it judged it by rules of its own.
      const made = await newVersion({ ...text, state: "good" }, before, base, (texts) =>
        withinLimit(signal, (deadline) => textWork.stored(texts, { deadline, share })),
      );
      pending.push({
        ...{ ...made, reason: null },
        ...{ takenAt: Math.max(0, Math.min(now, taken_at)), who, note: note ?? undefined, origin },
      });
      before = beforeOf(text);
      if (made.text.base !== undefined) continue;
      // Later ones are differences from this one.
      await flush();
      base = await wholeText(name, part);
    }
    await flush();
  }

  async function versionBefore(name: string, part: Given["part"], at: number) {
    const device = await history.device(name);
    const version = device && (await history.versionAt(device.id, part, at));
    if (version === undefined) return undefined;
    const { lines, bytes, compare } = version;
    if (bytes > maxComparedBytes) return { lines, bytes, compare };
    return { lines, bytes, compare, text: await textOf(store, version) };
  }

  async function wholeText(name: string, part: Given["part"]) {
    const device = await history.device(name);
    const base = device && (await history.base(device.id, part));
    return base && { id: base.id, text: await textIn(base, new Map()) };
  }

  return {
    async add(body, caller, signal) {
      requireImporter(caller);
      const { versions } = checkShape(importRequest, body);
      if (running >= maxAtOnce)
        throw new ServiceError("TooManyRequests", `${maxAtOnce} imports are running.`, { retryAfter: 2 });
      running++;
      try {
        const snapshot = await inventory.snapshot();
        const counts = { added: 0, known: 0, unchanged: 0 };
        const unlisted = new Set<string>();
        const groups = Map.groupBy(versions, ({ device, part }) => `${part} ${entryKey(device)}`);
        for (const given of groups.values()) {
          await giveWay(shareOf(caller));
          const [first] = given;
          if (first === undefined) continue;
          if (snapshot.device(first.device) === undefined) unlisted.add(first.device);
          await addAll(await deviceOf(first, snapshot), given, counts, caller, signal);
        }
        const answer: ImportAnswer = { ...counts, unlisted: [...unlisted].slice(0, importLimits.named) };
        return answer;
      } finally {
        running--;
      }
    },
  };

  async function deviceOf({ device, group = null }: Given, snapshot: Snapshot): Promise<NewConfigDevice> {
    const known = snapshot.device(device);
    if (known !== undefined) {
      const { name, host, platform } = known;
      return { name, host, group: known.group, platform };
    }
    const stored = await history.device(entryKey(device));
    return { name: device, host: stored?.host ?? device, group, platform: stored?.platform ?? null };
  }
}

/** @throws ServiceError Forbidden */
function requireImporter(caller: Caller): void {
  requireScope(caller, "admin");
  requireRight(caller, "history");
  if (reachOf(caller.hosts).limited)
    throw new ServiceError("Forbidden", "A key that may reach some hosts only cannot import histories.");
}

function beforeOf({ lines, bytes, compare, body }: ReadPart): VersionBefore & { readonly compare: string } {
  if (bytes > maxComparedBytes) return { lines, bytes, compare };
  return { lines, bytes, compare, text: unpackText(body, maxTextBytes) };
}
