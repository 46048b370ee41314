/** Expressions of steps, over what a run knows so far. */
import * as v from "valibot";
import { shareOf } from "../../auth/caller.ts";
import type { Caller } from "../../auth/port.ts";
import { performerOf } from "../../auth/rights.ts";
import { ServiceError } from "../../base/errors.ts";
import { RawJson } from "../../base/json/json.ts";
import { isGiven } from "../../base/json/members.ts";
import { createDeadline } from "../../base/time/deadline.ts";
import type { Inventory } from "../../inventory/port.ts";
import { recordsOf } from "../../jobs/facts.ts";
import type { Jobs } from "../../jobs/port.ts";
import type { Pool } from "../../pool/port.ts";
import { type OpenedRun, type StoredStep, shownParameters } from "../record.ts";

export interface EvaluatingTools {
  readonly jobs: Pick<Jobs, "list" | "parse">;
  readonly pool: Pick<Pool, "run">;
  readonly inventory: Pick<Inventory, "snapshot">;
}

/** Of one expression. */
const stepMs = 30_000;
/** Results that an expression can look at. */
const most = { results: 10_000, chars: 16 * 1024 * 1024 } as const;

const parsedAtOnce = 8;
const textResult = v.looseObject({ retval: v.record(v.string(), v.string()) });

/** What an expression knows of a job. */
interface Result {
  readonly device: string;
  readonly status: string;
  readonly result: unknown;
  /** Of a step that asks for a fact. */
  readonly records?: unknown;
}

export function createEvaluating({ jobs, pool, inventory }: EvaluatingTools, stopping: () => AbortSignal) {
  /**
   * Of each device the last one: it may have been asked again.
   * @param devices their order
   */
  async function resultsOf(
    { earlier, bulk_id }: Pick<StoredStep, "earlier" | "bulk_id">,
    owner: Caller,
    devices: readonly string[],
  ): Promise<Result[]> {
    const results = new Map<string, Result>();
    let chars = 0;
    for (const id of [...earlier, ...(bulk_id === null ? [] : [bulk_id])])
      for await (const piece of jobs.list({ bulk_id: id }, owner, {}))
        for (const { device, host, status, result } of piece) {
          const json = result instanceof RawJson ? result.text : JSON.stringify(result);
          chars += json.length + 100;
          const one = { device: device ?? host, status, result: JSON.parse(json) as unknown };
          results.set(one.device, one);
          if (results.size > most.results || chars > most.chars)
            throw new ServiceError(
              "BadRequest",
              `the expression looks at \`results\`, which are more than ${most.results} or ${most.chars / 1024 / 1024} MiB: use \`counts\``,
            );
        }
    const places = new Map(devices.map((device, at) => [device, at]));
    const placeOf = ({ device }: Result) => places.get(device) ?? places.size;
    return [...results.values()].sort((a, b) => placeOf(a) - placeOf(b));
  }

  /** Of a step that asks for a fact, as each system says it. */
  async function withRecords(results: readonly Result[], caller: Caller): Promise<Result[]> {
    const snapshot = await inventory.snapshot();
    const tools = { jobs, caller: performerOf(caller), signal: stopping() };
    const done: Result[] = [];
    for (let at = 0; at < results.length; at += parsedAtOnce)
      done.push(
        ...(await Promise.all(
          results.slice(at, at + parsedAtOnce).map(async (one) => {
            const said = v.safeParse(textResult, one.result);
            const [command, output] = said.success ? (Object.entries(said.output.retval)[0] ?? []) : [];
            if (command === undefined || output === undefined) return { ...one, records: [] };
            const { platform } = snapshot.device(one.device) ?? {};
            const records = await recordsOf({ platform, command, output }, most.chars, tools);
            return { ...one, records: records ?? [] };
          }),
        )),
      );
    return done;
  }

  /** @returns JSON; `null` if nothing matches. @throws ServiceError */
  async function evaluated(expression: string, opened: OpenedRun, owner: Caller): Promise<string> {
    const { request, steps } = opened;
    const shown: Record<string, unknown> = {};
    const looksAt = ({ name }: StoredStep) => new RegExp(`\\b${name}\\b`).test(expression);
    const isAny = !steps.some(looksAt);
    for (const step of steps) {
      const { name, state, counts, text, value, change, reason } = step;
      const isAsked = /\bresults\b/.test(expression) && (isAny || looksAt(step));
      const isFact = request.recipe.steps.some((one) => one.name === name && isGiven(one.request.fact));
      const found = isAsked ? await resultsOf(step, owner, request.devices) : undefined;
      const results =
        found === undefined ? {} : { results: isFact ? await withRecords(found, owner) : found };
      shown[name] = { state, reason, counts, text, value, change, ...results };
    }
    const json = JSON.stringify({
      parameters: shownParameters(request),
      devices: request.devices,
      dry_run: request.dry,
      steps: shown,
    });
    const late = () => new ServiceError("ReadTimeout", "The expression was still being computed.");
    const deadline = createDeadline(stepMs, late);
    try {
      const share = { key: shareOf(owner), job: true };
      return (await pool.run({ kind: "evaluate", expression, json }, { deadline, share })).json;
    } finally {
      deadline.dispose();
    }
  }

  return { evaluated, resultsOf };
}
