/** Takes: what a job needs to read a configuration, and what is stored of it. */
import * as v from "valibot";
import type { ConfigurationPart, TakePlan } from "../../api/history/history.ts";
import { ServiceError } from "../../base/errors.ts";
import { endsEarly, isShrunk } from "../../configtext/whole.ts";
import type { PlatformPlugin } from "../../plugin/index.ts";
import type { Pool } from "../../pool/port.ts";
import type { ReadPart } from "../../protocol/task.ts";
import { packText, unpackText } from "../../runtime/text-pack.ts";
import type { NewConfigVersion, Store, StoredConfigVersion, TakenConfigurations } from "../../store/port.ts";
import type { Take, Takes } from "../port.ts";
import type { TextWork } from "../reading/text-work.ts";
import { maxComparedBytes, maxTextBytes } from "../reading/texts.ts";
import { withinLimit } from "../reading/work-limit.ts";

export interface TakesOptions {
  readonly store: Pick<Store, "history">;
  readonly afterPushMs: number | undefined;
  readonly pool: Pick<Pool, "run">;
  /** By name or alias. */
  platform(name: string): PlatformPlugin | undefined;
}

/** Versions in which a shrunk text is looked for. */
const lookedBack = 100;

const endsWhereCut =
  "the text ends where one that was cut could end, and lacks what stood there last: if it is shown again, it is good";

/** Bytes of a text and the one before, up to which it is looked for what stood last: milliseconds. */
const maxCutBytes = 4 * 1024 * 1024;

/** In a reason. */
const namedModules = 10;

const storedModules = v.array(v.string());

function modulesIn(stored: string | null): readonly string[] {
  if (stored === null) return [];
  try {
    return v.parse(storedModules, JSON.parse(stored));
  } catch {
    // Damaged: nothing is known, as before the first take.
    return [];
  }
}

const ofJobs = { key: "", job: true } as const;

export function createTakes({ store, afterPushMs, pool, platform }: TakesOptions): Takes {
  const { history } = store;
  let markKey: Promise<string> | undefined;

  function keyOfMarks(): Promise<string> {
    markKey ??= history.markKey();
    markKey.catch(() => {
      markKey = undefined;
    });
    return markKey;
  }

  async function versionOf(
    part: ReadPart,
    head: StoredConfigVersion | undefined,
    wholeHead: WholeHead,
  ): Promise<NewConfigVersion> {
    // The store compares again: another take may have been faster.
    if (head === undefined || head.compare === part.compare)
      return newVersion(part, undefined, undefined, compare);
    if (part.bytes + head.bytes > maxComparedBytes) return newVersion(part, head, undefined, compare);
    const known = await wholeHead(head);
    if (known === undefined) return newVersion(part, head, undefined, compare);
    const { lines, bytes } = head;
    return newVersion(part, { lines, bytes, text: known.text }, known.base, compare);
  }

  /**
   * The text of a version, and the whole one that it was stored as a difference from, or is itself. Undefined: it is
   * damaged or gone, which must not keep new ones from being stored.
   */
  async function readHead({ textId }: StoredConfigVersion) {
    const bodies = new Map((await history.bodies([textId])).map((body) => [body.id, body]));
    const stored = bodies.get(textId);
    const whole = stored?.base === null ? stored : bodies.get(stored?.base ?? "");
    if (stored === undefined || whole === undefined) return undefined;
    const { applyDelta } = await import("../../configtext/delta.ts");
    try {
      const base = { id: whole.id, text: unpackText(whole.body, maxTextBytes) };
      if (whole === stored) return { text: base.text, base };
      return { text: applyDelta(base.text, unpackText(stored.body, maxTextBytes)), base };
    } catch {
      return undefined;
    }
  }

  type WholeHead = typeof readHead;

  /** Of one take, which reads it to judge and to store. */
  function headReader(): WholeHead {
    const read = new Map<StoredConfigVersion, ReturnType<WholeHead>>();
    return (head) => {
      const known = read.get(head) ?? readHead(head);
      read.set(head, known);
      return known;
    };
  }

  /** A take is stored whatever its texts are. */
  async function compare(texts: Parameters<StoredComparison>[0]) {
    const { createTextWork } = await import("../reading/text-work.ts");
    const work = createTextWork(pool);
    try {
      return await withinLimit(undefined, (deadline) => work.stored(texts, { deadline, share: ofJobs }));
    } catch (error) {
      if (error instanceof ServiceError) return undefined;
      throw error;
    }
  }

  /** As after the return of a large push. */
  async function wasGood(
    { part, compare }: Pick<ReadPart, "part" | "compare">,
    { device }: StoredConfigVersion,
  ): Promise<boolean> {
    const versions = await history.versions({ device, part, state: "good" }, lookedBack);
    return versions.some((version) => version.compare === compare);
  }

  async function unlessKnown(part: ReadPart, head: StoredConfigVersion): Promise<ReadPart> {
    if (!isShrunk(part.bytes, head.bytes) || !(await wasGood(part, head))) return part;
    const { reason: _reason, ...known } = part;
    return { ...known, state: "good" };
  }

  /** What the text lacks may be theirs. @returns why it is suspect */
  async function lostModules(
    { state, compare, modules }: ReadPart,
    head: StoredConfigVersion,
    name: string,
  ): Promise<string | undefined> {
    if (state === "suspect" || modules === undefined || compare === head.compare) return undefined;
    const stored = (await history.device(name.toLowerCase()))?.modules ?? null;
    const lost = modulesIn(stored).filter((one) => !modules.includes(one));
    if (lost.length === 0) return undefined;
    const some = lost.slice(0, namedModules).join(", ");
    return `${some}${lost.length > namedModules ? " and others" : ""} did not answer, as before: the text may lack what is theirs`;
  }

  /** Where no line marks the end alone: a text that ends early is believed when it is shown again. @returns why it is suspect */
  async function cutShort(
    { part, state, compare, bytes, body }: ReadPart,
    head: StoredConfigVersion,
    ofPlatform: string | null,
    wholeHead: WholeHead,
    earlier: readonly ReadPart[],
  ): Promise<string | undefined> {
    if (state !== "good" || compare === head.compare || bytes + head.bytes > maxCutBytes) return undefined;
    const rules = platform(ofPlatform ?? "")?.running;
    const before = (await wholeHead(head))?.text;
    if (before === undefined || !endsEarly(unpackText(body, maxTextBytes), before, rules, part))
      return undefined;
    if (earlier.some((one) => one.part === part && one.compare === compare)) return undefined;
    const [last] = await history.versions({ device: head.device, part, state: "suspect" }, 1);
    if (last?.compare === compare || (await wasGood({ part, compare }, head))) return undefined;
    return endsWhereCut;
  }

  async function begin(plan: TakePlan): Promise<Take> {
    const { device, source, causeJobId, who, note, files } = plan;
    const heads = new Map<ConfigurationPart, StoredConfigVersion>();
    for (const part of plan.parts) {
      const head = await history.head(device.name.toLowerCase(), part);
      if (head !== undefined) heads.set(part, head);
    }
    const previous = Object.fromEntries(
      plan.less ? [] : [...heads].map(([part, { bytes }]) => [part, bytes]),
    );
    const shared = { device, source, causeJobId, who, note };
    const wholeHead = headReader();
    const judge = (parts: readonly ReadPart[], earlier: readonly ReadPart[] = []) =>
      Promise.all(
        parts.map(async (part) => {
          const head = heads.get(part.part);
          if (head === undefined || plan.less === true) return part;
          const found = await unlessKnown(part, head);
          const reason =
            (await lostModules(found, head, device.name)) ??
            (await cutShort(found, head, device.platform, wholeHead, earlier));
          return reason === undefined ? found : { ...found, state: "suspect" as const, reason };
        }),
      );
    return {
      shows: {
        ...{ platform: device.platform, parts: plan.parts, previous, markKey: await keyOfMarks() },
        ...(files === undefined ? {} : { files }),
      },
      async judged(parts, again) {
        const judged = await judge(parts);
        const isDoubted = judged.some(({ reason }) => reason === endsWhereCut);
        // A push can have removed what stood last, and whoever sent it waits for what it left.
        return again !== undefined && plan.source === "push" && isDoubted
          ? judge(await again(), parts)
          : judged;
      },
      async taken(parts): Promise<TakenConfigurations> {
        const versions: NewConfigVersion[] = [];
        for (const part of parts) versions.push(await versionOf(part, heads.get(part.part), wholeHead));
        const modules = parts.find(({ part, state }) => part === "running" && state === "good")?.modules;
        return { ...shared, unsaved: unsavedIn(parts), modules, versions };
      },
      outcome(parts) {
        if (parts.some(({ state }) => state === "suspect")) return "suspect";
        return parts.some(({ part, compare }) => heads.get(part)?.compare !== compare)
          ? "changed"
          : "unchanged";
      },
      failed: (error) => ({ ...shared, error, versions: [] }),
      warnings: (parts) =>
        parts.flatMap(({ part, state, reason }) =>
          state === "good"
            ? []
            : [
                `the ${part} configuration of ${device.name} is suspect and not used as the latest: ${reason}`,
              ],
        ),
      outputs: (parts) =>
        parts.map(({ part, state, reason, lines, bytes, compare, general }) => ({
          command: part,
          output: {
            ...{ state, lines, bytes, sha256: compare, changed: heads.get(part)?.compare !== compare },
            ...(reason === undefined ? {} : { reason }),
            ...(general ? { rules: "general" } : {}),
          },
        })),
    };
  }

  return {
    begin,
    async restored(plan, deadline) {
      const [{ restoredLines }, { createTextWork }] = await Promise.all([
        import("../restoring/restore.ts"),
        import("../reading/text-work.ts"),
      ]);
      const textWork = createTextWork(pool);
      return restoredLines(plan, await keyOfMarks(), { store, textWork, platform }, deadline);
    },
    markKey: keyOfMarks,
    afterPushMs,
  };
}

/** The version before a new one; without its text if that is too large to be compared. */
export interface VersionBefore {
  readonly lines: number;
  readonly bytes: number;
  readonly text?: string;
}

/** @returns undefined: it takes too long. Texts: of the new version, of the one before, and of the base */
export type StoredComparison = (
  texts: Parameters<TextWork["stored"]>[0],
) => Promise<Awaited<ReturnType<TextWork["stored"]>> | undefined>;

/**
 * How a text that was read is stored.
 * @param base the whole text that it may be stored as a difference from
 */
export async function newVersion(
  part: ReadPart,
  before: VersionBefore | undefined,
  base: { readonly id: string; readonly text: string } | undefined,
  compare: StoredComparison,
): Promise<NewConfigVersion> {
  const { secrets, body, changedBy, reason = null, ...rest } = part;
  const { general: _general, modules: _modules, compareSaved: _saved, ...read } = rest;
  const version = { ...read, reason, byOnDevice: changedBy ?? null };
  if (before === undefined) return { ...version, added: read.lines, removed: 0, text: { body, secrets } };
  const isSmall = read.bytes + before.bytes <= maxComparedBytes;
  const compared =
    before.text === undefined || !isSmall
      ? undefined
      : await compare({ text: unpackText(body, maxTextBytes), before: before.text, base: base?.text });
  if (compared === undefined)
    return {
      ...version,
      added: Math.max(0, read.lines - before.lines),
      removed: Math.max(0, before.lines - read.lines),
      text: { body, secrets },
    };
  const { added, removed, delta } = compared;
  const stored =
    delta === undefined || base === undefined ? { body } : { base: base.id, body: packText(delta) };
  return { ...version, added, removed, text: { ...stored, secrets } };
}

function unsavedIn(parts: readonly ReadPart[]): boolean | undefined {
  const good = (name: ConfigurationPart) =>
    parts.find(({ part, state }) => part === name && state === "good");
  const [running, startup] = [good("running"), good("startup")];
  if (!running || !startup) return undefined;
  return (running.compareSaved ?? running.compare) !== (startup.compareSaved ?? startup.compare);
}
