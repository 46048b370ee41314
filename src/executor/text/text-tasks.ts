/** Compares and searches configurations, in a process that can be killed. */
import { applyDelta, insertionsOf } from "../../configtext/delta.ts";
import { compileSearch, lineKey, type TextSearcher } from "../../configtext/search.ts";
import { compareTexts } from "../../configtext/work.ts";
import type { CompareTask, FoundInText, PackedText, SearchTask, TaskValues } from "../../protocol/task.ts";
import { unpackText } from "../../runtime/text-pack.ts";
import { createKeptTexts, type KeptTexts } from "./kept-texts.ts";

export function compareTask({ wanted }: CompareTask): TaskValues["compare"] {
  return compareTexts(wanted);
}

/** @param keptBytes of texts that are kept between searches */
export function createSearchTask(keptBytes: number): (task: SearchTask) => Promise<TaskValues["search"]> {
  const kept = createKeptTexts(keptBytes);

  /** @throws ServiceError Validation (the search) */
  return async (task) => {
    const searcher = await compileSearch(task.query);
    const read = createReader(task, searcher, kept);
    const found: FoundInText[] = [];
    const missing: number[] = [];
    let [room, groups] = [task.maxHits, 0];
    let group: { readonly of: number; isFound: boolean; readonly seen: Set<string> } | undefined;
    for (const [at, packed] of task.texts.entries()) {
      if (packed.group !== group?.of) {
        if (groups >= task.maxFound) break;
        group = { of: packed.group, isFound: false, seen: new Set() };
      }
      const text = read(packed);
      if (text === "missing") missing.push(at);
      if (typeof text !== "object") continue;
      const { hits, total } = searcher.search(text.text);
      if (total === 0) continue;
      const { seen } = group;
      const fresh = hits.filter((hit) => !seen.has(lineKey(hit))).slice(0, room);
      for (const hit of fresh) seen.add(lineKey(hit));
      room -= fresh.length;
      found.push({ at, hits: fresh, total });
      if (!group.isFound) groups++;
      group.isFound = true;
    }
    return { found, missing };
  };
}

/** @returns a text that may match; undefined: it does not, or is damaged */
function createReader({ bases, maxBytes }: SearchTask, { mayMatch }: TextSearcher, kept: KeptTexts) {
  /** Versions of a device follow each other, and most differ from the same text. */
  let lastBase: { readonly at: number; readonly text: string; readonly mayMatch: boolean } | undefined;
  const unpack = (body: string) => unpackText(Buffer.from(body, "base64"), maxBytes);

  function baseAt(at: number) {
    if (lastBase?.at === at) return lastBase;
    const text = unpack(bases[at] ?? "");
    lastBase = { at, text, mayMatch: mayMatch(text) };
    return lastBase;
  }

  function contentOf({ key, base: at }: PackedText, body: string): string | undefined {
    const text = unpack(body);
    if (at === undefined) {
      if (key !== undefined) kept.keep(key, text);
      return text;
    }
    const base = baseAt(at);
    // Its lines are lines of the other text, or stand in the delta.
    const isSure = !base.mayMatch && !insertionsOf(text).some(mayMatch);
    if (isSure && key !== undefined) kept.keep(key, { base: base.text, delta: text });
    if (isSure) return undefined;
    const made = applyDelta(base.text, text);
    if (key !== undefined) kept.keep(key, made);
    return made;
  }

  function keptText(key: string): string | undefined {
    const known = kept.get(key);
    if (known === undefined || typeof known === "string") return known;
    const made = applyDelta(known.base, known.delta);
    kept.keep(key, made);
    return made;
  }

  return (packed: PackedText): { readonly text: string } | "missing" | undefined => {
    const { key, body } = packed;
    try {
      const known = key === undefined ? undefined : keptText(key);
      if (known !== undefined) return { text: known };
      if (body === undefined) return "missing";
      const text = contentOf(packed, body);
      return text === undefined ? undefined : { text };
    } catch {
      return undefined;
    }
  };
}
