/** Compares and searches configurations: small ones at once, others in processes that can be killed. */
import { ServiceError } from "../base/errors.ts";
import type { RestoringLines } from "../configtext/restore.ts";
import { plainRules, type TextRules } from "../configtext/rules.ts";
import type { SearchQuery, TextMatches } from "../configtext/search.ts";
import type { SidePart } from "../configtext/side.ts";
import type { TreeChange } from "../configtext/structured.ts";
import { type BlameRun, type Comparison, compareTexts, type WantedComparison } from "../configtext/work.ts";
import type { Pool, RunOptions } from "../pool/port.ts";

type WorkOptions = Pick<RunOptions, "deadline" | "share" | "waitMs">;

interface ComparedTexts {
  readonly a: string;
  readonly b: string;
  /** Of the platform. */
  readonly rules: TextRules;
}

interface InContext extends ComparedTexts {
  /** Equal lines around a change; default 3. */
  readonly context?: number | undefined;
}

/** A text as the store has it: packed, or packed as a delta against another one. */
export interface SearchedText<T> {
  /** Whose it is. */
  readonly of: T;
  readonly body: Uint8Array;
  readonly base?: Uint8Array | undefined;
}

export interface FoundText<T> extends TextMatches {
  readonly of: T;
  /** It could not be unpacked. */
  readonly isDamaged: boolean;
}

/**
 * All methods throw ServiceError: TemplateTimeout and TemplateLimit above the limits of the processes, TooManyRequests if
 * too much waits for them, the reason of the deadline.
 */
export interface TextWork {
  /** In git's format; empty if the texts are equal. `from`, `to`: their names. */
  unified(
    texts: InContext & { readonly from: string; readonly to: string },
    options: WorkOptions,
  ): Promise<string>;
  /** The first 20,000 rows; `isCut` if there are more. */
  side(
    texts: InContext,
    options: WorkOptions,
  ): Promise<{ readonly parts: readonly SidePart[]; readonly isCut: boolean }>;
  /** The first 20,000 changes; `isCut` if there are more. */
  structured(
    texts: ComparedTexts,
    options: WorkOptions,
  ): Promise<{ readonly changes: readonly TreeChange[]; readonly isCut: boolean }>;
  /** Lines that turn one text into the other. `negate`: as a platform declares it. */
  restore(texts: ComparedTexts & { readonly negate: string }, options: WorkOptions): Promise<RestoringLines>;
  /** Which version the lines of the newest come from, in order. `texts`: from the oldest to the newest. */
  blame(texts: readonly string[], options: WorkOptions): Promise<readonly BlameRun[]>;
  /**
   * Texts that have matches, and damaged ones, in order. Read as they are needed, some hundreds ahead.
   * @param maxHits hits that are returned of all texts together; the others are counted.
   * @throws ServiceError Validation (the query)
   */
  search<T>(
    query: SearchQuery,
    texts: AsyncIterable<SearchedText<T>> | Iterable<SearchedText<T>>,
    options: WorkOptions & { readonly maxHits: number },
  ): AsyncGenerator<FoundText<T>>;
}

/** Comparing less than this takes a few milliseconds, whatever the texts. */
const charsAtOnce = { unified: 200_000, side: 200_000, structured: 50_000, restore: 200_000, blame: 200_000 };
const linesAtOnce = 10_000;
/** Of one task; packing and sending it takes the main thread about a millisecond. */
const batch = { texts: 200, bytes: 512 * 1024 };
/** Tasks that wait or run at the same time. */
const ahead = 4;

/** @param maxTextBytes of one text, unpacked */
export function createTextWork(pool: Pick<Pool, "run">, maxTextBytes: number): TextWork {
  async function compare<F extends Comparison["form"]>(
    form: F,
    wanted: WantedComparison,
    options: WorkOptions,
  ): Promise<Extract<Comparison, { form: F }>> {
    const texts = wanted.form === "blame" ? wanted.texts : [wanted.a, wanted.b];
    const compared = isSmall(texts, charsAtOnce[form])
      ? compareTexts(wanted)
      : await pool.run({ kind: "compare", wanted }, options);
    if (!hasForm(compared, form))
      throw new ServiceError("Internal", "A comparison was answered in another form.");
    return compared;
  }

  return {
    async unified({ rules, ...texts }, options) {
      return (await compare("unified", { form: "unified", ...texts, rules: plainRules(rules) }, options))
        .text;
    },
    side: ({ rules, ...texts }, options) =>
      compare("side", { form: "side", ...texts, rules: plainRules(rules) }, options),
    structured: ({ rules, ...texts }, options) =>
      compare("structured", { form: "structured", ...texts, rules: plainRules(rules) }, options),
    restore: ({ rules, ...texts }, options) =>
      compare("restore", { form: "restore", ...texts, rules: plainRules(rules) }, options),
    async blame(texts, options) {
      return (await compare("blame", { form: "blame", texts }, options)).runs;
    },
    search: (query, texts, options) => searchAhead(batchesOf(texts), query, options),
  };

  async function* searchAhead<T>(
    batches: AsyncIterable<readonly SearchedText<T>[]>,
    query: SearchQuery,
    { maxHits, ...options }: WorkOptions & { readonly maxHits: number },
  ): AsyncGenerator<FoundText<T>> {
    let room = maxHits;
    const running: Promise<FoundText<T>[]>[] = [];
    const takeFirst = async () => {
      const found = (await running.shift()) ?? [];
      return found.map((text) => {
        // Batches that ran at the same time each had all of the room.
        const hits = text.hits.slice(0, room);
        room -= hits.length;
        return { ...text, hits };
      });
    };
    for await (const texts of batches) {
      const search = searchBatch(texts, query, room, options);
      // Awaited later, or not at all if an earlier one fails.
      search.catch(() => {});
      running.push(search);
      if (running.length >= ahead) yield* await takeFirst();
    }
    while (running.length > 0) yield* await takeFirst();
  }

  async function searchBatch<T>(
    texts: readonly SearchedText<T>[],
    query: SearchQuery,
    maxHits: number,
    options: WorkOptions,
  ): Promise<FoundText<T>[]> {
    const packed = texts.map(({ body, base }) => ({
      body: base64(body),
      ...(base === undefined ? {} : { base: base64(base) }),
    }));
    const { found, damaged } = await pool.run(
      { kind: "search", query, texts: packed, maxHits, maxBytes: maxTextBytes },
      options,
    );
    const failed = damaged.map((at) => ({ at, hits: [], total: 0, isDamaged: true }));
    const matched = found.map((text) => ({ ...text, isDamaged: false }));
    return [...matched, ...failed]
      .sort((one, other) => one.at - other.at)
      .flatMap(({ at, hits, total, isDamaged }) => {
        const text = texts[at];
        return text === undefined ? [] : [{ of: text.of, hits, total, isDamaged }];
      });
  }
}

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("base64");
}

/** At least one, so that a query is checked even if there is nothing to search. */
async function* batchesOf<T>(
  texts: AsyncIterable<SearchedText<T>> | Iterable<SearchedText<T>>,
): AsyncGenerator<SearchedText<T>[]> {
  let [next, bytes, count]: [SearchedText<T>[], number, number] = [[], 0, 0];
  for await (const text of texts) {
    next.push(text);
    bytes += text.body.length + (text.base?.length ?? 0);
    if (next.length < batch.texts && bytes < batch.bytes) continue;
    yield next;
    count++;
    [next, bytes] = [[], 0];
  }
  if (next.length > 0 || count === 0) yield next;
}

function hasForm<F extends Comparison["form"]>(
  comparison: Comparison,
  form: F,
): comparison is Extract<Comparison, { form: F }> {
  return comparison.form === form;
}

function isSmall(texts: readonly string[], maxChars: number): boolean {
  let [chars, lines] = [0, 0];
  for (const text of texts) {
    chars += text.length;
    if (chars > maxChars) return false;
    for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1))
      if (++lines > linesAtOnce) return false;
  }
  return true;
}
