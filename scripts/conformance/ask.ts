/** The requests and outcomes of a case, the same over HTTP and in process. */

export type Answer =
  /** `data` as JSON text. */
  | { readonly kind: "answer"; readonly json: string }
  | { readonly kind: "refused"; readonly why: string }
  /** The service failed instead of answering or refusing. */
  | { readonly kind: "broken"; readonly why: string };

export interface RenderAsk {
  readonly template: string;
  /** Raw JSON text, because key order and number types are part of the case. */
  readonly contextJson: string;
  readonly args: Record<string, unknown>;
}

export interface ParseAsk {
  readonly engine: "textfsm" | "ttp";
  /** Default: the installed set selects one by `set`. */
  readonly template?: string;
  readonly set?: Record<string, unknown>;
  readonly text: string;
  readonly args?: Record<string, unknown>;
}

export interface Asker {
  render(ask: RenderAsk): Promise<Answer>;
  parse(ask: ParseAsk): Promise<Answer>;
  /** Replaces the installed set. */
  install(folder: string): Promise<void>;
  /** Writes a file below the template roots. */
  put(path: string, text: string): void;
  stop(): Promise<void>;
}

export interface Outcome {
  readonly id: string;
  /** Undefined if the case passed. */
  readonly why?: string;
}

/**
 * @returns the cause of a failure, short enough to group by; a case that expects an error passes if it is
 * refused.
 */
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

/** Removes details specific to one case. */
const unquoted = (why: string): string => why.replace(/"[^"]*"|'[^']*'/g, "…").replace(/;.*/s, "");

/** Runs the work for all items, at most `width` concurrently; results are in the order of the items. */
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
