/** Compares and searches configurations, in a process that can be killed. */
import { applyDelta } from "../configtext/delta.ts";
import { compileSearch } from "../configtext/search.ts";
import { compareTexts } from "../configtext/work.ts";
import type { CompareTask, FoundInText, SearchTask, TaskValues } from "../protocol/task.ts";
import { unpackText } from "../runtime/text-pack.ts";

export function compareTask({ wanted }: CompareTask): TaskValues["compare"] {
  return compareTexts(wanted);
}

/** @throws ServiceError Validation (the search) */
export async function searchTask(task: SearchTask): Promise<TaskValues["search"]> {
  const { query, texts, maxHits, maxBytes } = task;
  const searcher = await compileSearch(query);
  const found: FoundInText[] = [];
  const damaged: number[] = [];
  let room = maxHits;
  const unpack = (packed: string) => unpackText(Buffer.from(packed, "base64"), maxBytes);
  for (const [at, { body, base }] of texts.entries()) {
    let text: string;
    try {
      text = base === undefined ? unpack(body) : applyDelta(unpack(base), unpack(body));
    } catch {
      damaged.push(at);
      continue;
    }
    const { hits, total } = searcher.search(text, room);
    room -= hits.length;
    if (total > 0) found.push({ at, hits, total });
  }
  return { found, damaged };
}
