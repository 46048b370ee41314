/** Walks: all instances below an object, in bulks that the agent can answer, and tables as records. */
import { type Context, PluginError } from "patchbay/plugin";
import { type Agent, TooBig, type Varbind } from "./agent.ts";
import type { MibTable } from "./mibs.ts";
import { follows, indexOf, isBelow, nameOf, objectOf } from "./names.ts";
import { absence, dataOf, endOfView } from "./values.ts";

interface WalkOptions {
  /** Instances that are asked for at once; 1 asks one by one. */
  readonly bulk: number;
  /** Bound on all instances. */
  readonly most: number;
}

/**
 * All instances below an object. An agent that says its answer is too big is asked for half as many, and one that errs
 * on bulks one by one.
 * @throws PluginError CommandError: the agent's answers do not grow, or never end
 */
export async function walk(
  agent: Agent,
  root: string,
  { bulk, most }: WalkOptions,
  ctx: Context,
): Promise<Varbind[]> {
  const found: Varbind[] = [];
  let size = bulk;
  for (let at = root; ; ) {
    const answer = await some(at);
    if (answer.length === 0) return found;
    for (const varbind of answer) {
      if (varbind.type === endOfView || !isBelow(varbind.oid, root)) return found;
      if (!follows(at, varbind.oid)) throw stuck(at, varbind.oid);
      if (absence(varbind.type) === undefined) found.push(varbind);
      if (found.length > most)
        throw new PluginError(
          "OutputTooLarge",
          `The walk of ${nameOf(root)} has more than ${most} instances.`,
        );
      at = varbind.oid;
    }
  }

  async function some(at: string): Promise<readonly Varbind[]> {
    while (size > 1)
      try {
        return await agent.bulk(at, size, ctx);
      } catch (error) {
        if (!(error instanceof TooBig)) throw error;
        size = Math.floor(size / 2);
      }
    return agent.next(at, ctx);
  }
}

/** Without this check the walk would never end. */
function stuck(before: string, after: string): PluginError {
  return new PluginError(
    "CommandError",
    `The agent's walk does not grow: after ${nameOf(before)} it answered ${nameOf(after)}. Its table is faulty: ask for other columns.`,
    { output: `${before} -> ${after}` },
  );
}

/** By name and instance. */
export function asObject(varbinds: readonly Varbind[]): Record<string, unknown> {
  return Object.fromEntries(
    varbinds.map((varbind) => [nameOf(varbind.oid), dataOf(varbind, objectOf(varbind.oid)?.object)]),
  );
}

/** The rows of a table with the parts of their index by name; what a row lacks is absent. */
export function asRecords(
  varbinds: readonly Varbind[],
  table: MibTable | undefined,
  root: string,
): unknown[] {
  const rows = new Map<string, Record<string, unknown>>();
  const entry = table?.oid ?? root;
  for (const varbind of varbinds) {
    const [column = "", ...rest] = varbind.oid.slice(entry.length + 1).split(".");
    const instance = rest.join(".");
    const object = objectOf(varbind.oid)?.object;
    let row = rows.get(instance);
    if (row === undefined) {
      row = { ...((table && indexOf(instance, table.index)) ?? { index: instance }) };
      rows.set(instance, row);
    }
    row[object?.name ?? column] = dataOf(varbind, object);
  }
  return [...rows.values()];
}
