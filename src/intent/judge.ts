/** Compares devices with the intents that are for them. What was compared before is not compared again. */

import type { DriftState } from "../api/intent/intent.ts";
import { entryKey } from "../api/inventory/inventory.ts";
import type { Caller } from "../auth/port.ts";
import { ServiceError } from "../base/errors.ts";
import { errorSentence } from "../base/issues.ts";
import { neverAborted } from "../base/time/deadline.ts";
import { mostLineChars } from "../configtext/intent/told.ts";
import type { FoundDrift } from "../configtext/intent/work.ts";
import { textsOf } from "../history/reading/texts.ts";
import type { EffectiveDevice, Inventory, Snapshot } from "../inventory/port.ts";
import type { Jobs } from "../jobs/port.ts";
import { pinned } from "../jobs/request/named-templates.ts";
import type { PlatformPlugin } from "../plugin/index.ts";
import type { DriftSave, KnownResult, Store, StoredConfigVersion, StoredDriftDue } from "../store/port.ts";
import { createScopes, type Definition, definitionOf } from "./definitions.ts";
import { closedBy, hashOf, wantedText } from "./wanted.ts";
import { type ComparedPlatform, comparedPlatform, type DriftWork } from "./work.ts";

export interface JudgeTools {
  readonly store: Pick<Store, "history" | "intents" | "templates" | "clock">;
  /** Configurations that were read before say nothing. */
  readonly freshMs: number;
  readonly inventory: Pick<Inventory, "snapshot">;
  readonly jobs: Pick<Jobs, "render">;
  readonly work: DriftWork;
  /** By name or alias. */
  platform(name: string): PlatformPlugin | undefined;
  /** With the rights of today; undefined: they have none any more. */
  ownerOf(id: string): Promise<Caller | undefined>;
}

interface Pair {
  readonly device: EffectiveDevice;
  readonly key: string;
  readonly definition: Definition;
  readonly hash: string;
  readonly head: StoredConfigVersion | undefined;
  readonly part: "running" | "set";
}

const rendersAtOnce = 2;
/** Not of the intent or the device: it is tried again. */
const noneNow: ReadonlySet<string> = new Set(["Unavailable", "Cancelled", "StorageFull"]);

export function createJudge(tools: JudgeTools) {
  const { store, inventory, jobs, work, freshMs } = tools;
  const scopes = createScopes(tools.ownerOf);
  const platforms = new WeakMap<PlatformPlugin, ComparedPlatform>();
  const unknownPlatform = comparedPlatform(undefined);

  function platformOf({ platform: name }: Pick<EffectiveDevice, "platform">): ComparedPlatform {
    const platform = name === null ? undefined : tools.platform(name);
    if (platform === undefined) return unknownPlatform;
    const found = platforms.get(platform) ?? comparedPlatform(platform);
    platforms.set(platform, found);
    return found;
  }

  async function definitions(): Promise<Definition[]> {
    return Promise.all((await store.intents.list()).map(definitionOf).map(withTemplates));
  }

  /** The versions of the stored templates that it names now; without one, rendering says what is missing. */
  async function withTemplates(definition: Definition): Promise<Definition> {
    const { request, digest } = definition;
    const rendering = request?.rendering;
    if (!request || !rendering) return definition;
    try {
      const { request: now, texts } = await pinned({ store }, (change) => change(rendering, "rendering"));
      if (texts.size === 0) return definition;
      return {
        ...definition,
        request: { ...request, rendering: now },
        digest: `${digest} ${[...texts.keys()].join(" ")}`,
      };
    } catch (error) {
      if (error instanceof ServiceError && error.kind === "Validation") return definition;
      throw error;
    }
  }

  /** The newest good versions of one part, by name in lower case. */
  async function headsOf(names: readonly string[], part: "running" | "set") {
    const heads = new Map<string, StoredConfigVersion>();
    if (names.length === 0) return heads;
    if (part === "running") {
      for (const { device, latest } of await store.history.devices({ names }, names.length))
        if (latest !== undefined) heads.set(device.name, latest);
      return heads;
    }
    for (const name of names) {
      const head = await store.history.head(name, part);
      if (head !== undefined) heads.set(name, head);
    }
    return heads;
  }

  async function pairsOf(names: readonly string[], all: readonly Definition[], snapshot: Snapshot) {
    const devices = names.flatMap((name) => snapshot.device(name) ?? []);
    const byPart = Map.groupBy(devices, (device) => platformOf(device).part);
    const heads = new Map<string, StoredConfigVersion>();
    for (const [part, some] of byPart)
      for (const [name, head] of await headsOf(
        some.map(({ name }) => entryKey(name)),
        part,
      ))
        heads.set(name, head);
    const owners = new Map<Definition, Caller | undefined>();
    const pairs: Pair[] = [];
    for (const definition of all) {
      const owner = await scopes.ownerOf(definition);
      owners.set(definition, owner);
      const scope = await scopes.scopeOf(definition, owner, snapshot);
      for (const device of devices) {
        const key = entryKey(device.name);
        if (!scope.has(key)) continue;
        const hash = hashOf(definition, owner, device, snapshot);
        pairs.push({ device, key, definition, hash, head: heads.get(key), part: platformOf(device).part });
      }
    }
    return { pairs, owners };
  }

  /** @returns how many pairs were compared anew */
  async function judge(due: readonly StoredDriftDue[]): Promise<number> {
    const [snapshot, all, known] = await Promise.all([
      inventory.snapshot(),
      definitions(),
      store.intents.known(due.map(({ device }) => device)),
    ]);
    const { pairs, owners } = await pairsOf(
      due.map(({ device }) => device),
      all,
      snapshot,
    );
    const knownBy = new Map(known.map((result) => [`${result.device} ${result.intent}`, result]));
    const isSame = (pair: Pair, result: KnownResult | undefined) =>
      result?.hash === pair.hash &&
      result.compare === (pair.head?.compare ?? null) &&
      result.revision === pair.definition.revision &&
      result.version === (pair.head?.version ?? null) &&
      // What was in the way may have gone.
      result.state !== "intent_error";
    const same: KnownResult[] = [];
    const anew: Pair[] = [];
    for (const pair of pairs) {
      const result = knownBy.get(`${pair.key} ${pair.definition.name}`);
      if (result !== undefined && isSame(pair, result)) same.push(result);
      else anew.push(pair);
      knownBy.delete(`${pair.key} ${pair.definition.name}`);
    }
    const { results, later } = await compared(anew, owners);
    await store.intents.save({
      due: due.filter(({ device }) => !later.has(device)),
      ...{ results, same, gone: [...knownBy.values()], fresh: store.clock.wall() - freshMs },
    });
    return anew.length;
  }

  /** @returns `later`: devices for which something could not be rendered for the moment; they stay due */
  async function compared(
    pairs: readonly Pair[],
    owners: ReadonlyMap<Definition, Caller | undefined>,
  ): Promise<{ readonly results: DriftSave[]; readonly later: ReadonlySet<string> }> {
    const results: DriftSave[] = [];
    const later = new Set<string>();
    const ready: { readonly pair: Pair; readonly text: string }[] = [];
    const queue = [...pairs];
    const prepare = async () => {
      for (let pair = queue.shift(); pair !== undefined; pair = queue.shift()) {
        const { definition, device, head } = pair;
        const owner = owners.get(definition);
        if (definition.request === undefined)
          results.push(said(pair, "intent_error", "it cannot be opened: it is damaged. Write it again"));
        else if (owner === undefined)
          results.push(
            said(pair, "intent_error", "who wrote it may not read configurations any more: write it again"),
          );
        else if (head === undefined)
          results.push(said(pair, "unknown", `no good ${pair.part} configuration is known: read it first`));
        else
          try {
            ready.push({ pair, text: await wantedText(definition, device, owner, jobs, neverAborted) });
          } catch (error) {
            if (!(error instanceof ServiceError) || noneNow.has(error.kind)) throw error;
            // Whoever wrote one intent is busy: others do not wait for it.
            if (error.kind === "TooManyRequests") later.add(pair.key);
            else results.push(said(pair, "intent_error", errorSentence(error)));
          }
      }
    };
    await Promise.all(Array.from({ length: rendersAtOnce }, prepare));
    if (ready.length === 0) return { results, later };
    const heads = [...new Map(ready.map(({ pair }) => [pair.key, pair.head])).values()].flatMap(
      (one) => one ?? [],
    );
    const texts = await textsOf(store, heads);
    const textOf = new Map(heads.map(({ n }, at) => [n, texts[at]]));
    const markKey = await store.history.markKey();
    for (const [platform, ofPlatform] of Map.groupBy(ready, ({ pair }) => platformOf(pair.device))) {
      const intents = [...new Set(ofPlatform.map(({ pair }) => pair.definition))];
      const byDevice = [...Map.groupBy(ofPlatform, ({ pair }) => pair.key).values()].filter((ofDevice) => {
        const isWhole = textOf.get(ofDevice[0]?.pair.head?.n ?? 0) !== undefined;
        if (!isWhole)
          for (const { pair } of ofDevice)
            results.push(said(pair, "unknown", "the stored text of its version is damaged: read it again"));
        return isWhole;
      });
      const found = await work.compare(
        platform,
        intents.map(({ compared }) => compared),
        byDevice.map((ofDevice) => ({
          now: textOf.get(ofDevice[0]?.pair.head?.n ?? 0) ?? "",
          wanted: ofDevice.map(({ pair: { definition }, text }) => ({
            ...{ intent: intents.indexOf(definition), text },
            closed: closedBy(definition, owners.get(definition)),
          })),
        })),
        markKey,
      );
      for (const [at, ofDevice] of byDevice.entries()) {
        const ofThis = found[at];
        for (const [place, { pair }] of ofDevice.entries())
          if (ofThis === undefined || ofThis instanceof ServiceError)
            results.push(
              said(pair, "unknown", ofThis === undefined ? "it was not compared" : errorSentence(ofThis)),
            );
          else {
            const one = ofThis[place];
            if (one !== undefined)
              results.push(
                resultOf(pair, one, closedBy(pair.definition, owners.get(pair.definition)) !== undefined),
              );
          }
      }
    }
    return { results, later };
  }

  return { judge, definitions, scopes, platformOf };
}

export type Judge = ReturnType<typeof createJudge>;

function base({ key, definition, hash, head, part }: Pair) {
  return {
    ...{ device: key, intent: definition.name, revision: definition.revision, hash, part },
    ...{ compare: head?.compare ?? null, version: head?.version ?? null },
  };
}

const closedWords = "are not compared, as who wrote the intent has not the right history_secrets";

/** Nothing was compared. */
function said(pair: Pair, state: DriftState, reason: string): DriftSave {
  const none = { missing: 0, extra: 0, differs: 0, unverified: 0 };
  const sections = pair.definition.compared.sections.map(({ name }) => ({ name, state, ...none }));
  const texts = { sections: JSON.stringify(sections), changes: null, unmatched: 0 };
  return { result: { ...base(pair), state, reason: reason.slice(0, mostLineChars), ...texts }, lines: [] };
}

function resultOf(pair: Pair, found: FoundDrift, isClosed: boolean): DriftSave {
  const { state, wrong, unverified, unmatched, sections, changes, lines } = found;
  const reason =
    state === "intent_error"
      ? `the intent has lines of what should be absent: ${wrong.join(", ")}`
      : state === "unknown"
        ? `${unverified} secrets ${isClosed ? closedWords : "are salted or encrypted by the device and cannot be compared"}: \`ignore\` leaves them out`
        : null;
  return { result: { ...base(pair), state, reason, unmatched, sections, changes }, lines };
}
