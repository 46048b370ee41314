/** Differences between versions, and who wrote each line: large ones in a process that can be killed. */

import type {
  BlameAnswer,
  ConfigurationPart,
  DifferenceAnswer,
  DifferenceForm,
} from "../../api/history/history.ts";
import { shareOf } from "../../auth/caller.ts";
import type { Caller } from "../../auth/port.ts";
import { platformRules } from "../../configtext/rules.ts";
import type { TreeChange } from "../../configtree/compare.ts";
import type { PlatformPlugin } from "../../plugin/index.ts";
import type { Store, StoredConfigDevice, StoredConfigVersion } from "../../store/port.ts";
import { versionRecordOf } from "../records.ts";
import type { TextWork } from "./text-work.ts";
import { textsOf, wholeText } from "./texts.ts";
import { withinLimit } from "./work-limit.ts";

export interface ComparisonTools {
  readonly store: Pick<Store, "history">;
  readonly textWork: TextWork;
  readonly iso: (ms: number) => string;
  /** By name or alias. */
  platform(name: string): PlatformPlugin | undefined;
}

/** A version and its device. */
export interface Found {
  readonly device: StoredConfigDevice;
  readonly version: StoredConfigVersion;
}

/** Versions that are read for a blame, and characters of their texts. */
const blamed = { versions: 1_000, chars: 16 * 1024 * 1024, atOnce: 50 } as const;

export function createComparisons({ store, textWork, iso, platform }: ComparisonTools) {
  const shown = ({ device, version }: Found) => versionRecordOf(version, device.shown, iso);
  const nameOf = ({ device, version }: Found) => `${device.shown}/${version.part}/${version.version}`;
  const shareFor = (caller: Caller) => ({ key: shareOf(caller), job: false });

  return {
    async difference(
      from: Found,
      to: Found,
      form: DifferenceForm,
      caller: Caller,
      signal?: AbortSignal,
    ): Promise<DifferenceAnswer> {
      const [a, b] = (await textsOf(store, [from.version, to.version])).map(wholeText);
      const texts = {
        a: a ?? "",
        b: b ?? "",
        rules: platformRules(platform(to.device.platform ?? "") ?? {}),
      };
      const between = { from: shown(from), to: shown(to) };
      return withinLimit(signal, async (deadline) => {
        const options = { deadline, share: shareFor(caller) };
        if (form === "unified") {
          const names = { from: nameOf(from), to: nameOf(to) };
          return { ...between, unified: await textWork.unified({ ...texts, ...names }, options) };
        }
        if (form === "side") {
          const { parts, isCut } = await textWork.side(texts, options);
          return { ...between, parts, ...(isCut ? { cut: true } : {}) };
        }
        const { changes, isCut } = await textWork.structured(texts, options);
        return { ...between, changes: flat(changes, 0), ...(isCut ? { cut: true } : {}) };
      });
    },

    async blame({ device, version }: Found, caller: Caller, signal?: AbortSignal): Promise<BlameAnswer> {
      const { versions, texts, complete } = await versionsBefore(version, version.part);
      const runs = await withinLimit(signal, (deadline) =>
        textWork.blame(texts, { deadline, share: shareFor(caller) }),
      );
      const named = new Set(runs.map((run) => run.version));
      return {
        version: shown({ device, version }),
        text: texts.at(-1) ?? "",
        runs: runs.map((run) => ({ version: versions[run.version]?.version ?? 0, lines: run.lines })),
        versions: versions.flatMap((one, at) => (named.has(at) ? [shown({ device, version: one })] : [])),
        complete,
      };
    },
  };

  /** A version and the good ones before it, oldest first, as many as are compared. */
  async function versionsBefore(version: StoredConfigVersion, part: ConfigurationPart) {
    const versions = [version];
    const texts = [wholeText((await textsOf(store, [version]))[0])];
    let chars = texts[0]?.length ?? 0;
    let before = version;
    for (;;) {
      const older = await store.history.versions(
        { device: version.device, part, before, state: "good" },
        blamed.atOnce,
      );
      const read = await textsOf(store, older);
      for (const [at, one] of older.entries()) {
        const text = read[at];
        // One that is damaged is left out: its lines are those of the next one.
        if (text === undefined) continue;
        chars += text.length;
        if (versions.length >= blamed.versions || chars > blamed.chars)
          return { versions: versions.reverse(), texts: texts.reverse(), complete: false };
        versions.push(one);
        texts.push(text);
      }
      const last = older.at(-1);
      if (last === undefined || older.length < blamed.atOnce)
        return { versions: versions.reverse(), texts: texts.reverse(), complete: true };
      before = last;
    }
  }
}

type FlatChange = NonNullable<DifferenceAnswer["changes"]>[number];

function flat(changes: readonly TreeChange[], depth: number): FlatChange[] {
  const all: FlatChange[] = [];
  for (const { children, ...change } of changes) {
    all.push({ ...change, depth });
    for (const below of flat(children, depth + 1)) all.push(below);
  }
  return all;
}
