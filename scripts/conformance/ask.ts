/** What a case asks of the engines, the same over HTTP and in process, and how its outcome is told. */

export type Answer =
  /** JSON text of `data`. */
  | { readonly kind: "answer"; readonly json: string }
  | { readonly kind: "refused"; readonly why: string }
  /** The service failed where it should have answered or refused. */
  | { readonly kind: "broken"; readonly why: string };

export interface RenderAsk {
  readonly template: string;
  /** Raw JSON text: order of keys and kinds of numbers are part of the case. */
  readonly contextJson: string;
  readonly args: Record<string, unknown>;
}

export interface ParseAsk {
  readonly engine: "textfsm" | "ttp";
  /** Absent: the installed set picks one by `set`. */
  readonly template?: string;
  readonly set?: Record<string, unknown>;
  readonly text: string;
  readonly args?: Record<string, unknown>;
}

export interface Asker {
  render(ask: RenderAsk): Promise<Answer>;
  parse(ask: ParseAsk): Promise<Answer>;
  /** Replaces an installed set. */
  install(folder: string): Promise<void>;
  /** Puts a file below the template roots. */
  put(path: string, text: string): void;
  stop(): Promise<void>;
}

export interface Outcome {
  readonly id: string;
  /** Absent: the case holds. */
  readonly why?: string;
}

/** @returns the cause of a failure, short enough to group by; a case that expects an error holds when it is refused. */
export function judge(
  id: string,
  answer: Answer,
  expectsError: boolean,
  same: (data: unknown, json: string) => boolean,
): Outcome {
  if (answer.kind === "broken") return { id, why: answer.why };
  if (answer.kind === "refused")
    return expectsError ? { id } : { id, why: `refused: ${unquoted(answer.why)}` };
  if (expectsError) return { id, why: "an answer where the reference raises" };
  return same(JSON.parse(answer.json), answer.json) ? { id } : { id, why: "another result" };
}

/** Without what is of one case only. */
const unquoted = (why: string): string => why.replace(/"[^"]*"|'[^']*'/g, "…").replace(/;.*/s, "");

/** Runs the work for all items, at most `width` at once; outcomes stand in the order of the items. */
export async function each<T, R>(
  items: readonly T[],
  width: number,
  work: (item: T, at: number) => Promise<R>,
): Promise<R[]> {
  const results = new Array<R>(items.length);
  let next = 0;
  const lane = async () => {
    for (let at = next++; at < items.length; at = next++) {
      const item = items[at];
      if (item !== undefined) results[at] = await work(item, at);
    }
  };
  await Promise.all(Array.from({ length: width }, lane));
  return results;
}
