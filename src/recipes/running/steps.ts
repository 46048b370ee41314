/**
 * What comes next for a run, from the store alone: each try of a step is submitted under a key of its own, so that a repeat
 * after a crash, or by another node, gets the same bulk. What a step does in the service itself is done again.
 */
import * as v from "valibot";
import { bulkKinds, type CallStep, callStep, recipeLimits, valueStep } from "../../api/recipes/recipe.ts";
import type { Caller } from "../../auth/port.ts";
import { performerOf, requireRecipe } from "../../auth/rights.ts";
import { ServiceError } from "../../base/errors.ts";
import { errorSentence } from "../../base/issues.ts";
import { isRecord } from "../../base/json/members.ts";
import { createMasker } from "../../base/secrets/mask.ts";
import { readWindows, windowProblem } from "../../base/time/maintenance-windows.ts";
import type { RunChanges } from "../../changes/port.ts";
import type { Inventory } from "../../inventory/port.ts";
import { factCommand, facts } from "../../jobs/facts.ts";
import type { Jobs } from "../../jobs/port.ts";
import type { Registry } from "../../registry/registry.ts";
import type { Store, StoredRun } from "../../store/port.ts";
import type { InnerCalls } from "../port.ts";
import { type OpenedRun, openedRun, type StoredStep, secretsOfRun } from "../record.ts";
import { bodyOfStep, contextOf, dryBody } from "../request/body.ts";
import { callOf } from "../request/calls.ts";
import { filled } from "../request/fill.ts";
import { secretNames, type Values } from "../request/parameters.ts";
import { createChangeSteps } from "./change-step.ts";
import { createEvaluating, type EvaluatingTools } from "./evaluating.ts";
import { faultOf } from "./fault.ts";
import { cancelled, ended, endOf, expired, final, type Next, stepped, withoutOwner } from "./moves.ts";

export interface StepTools {
  readonly store: Pick<Store, "clock">;
  readonly jobs: EvaluatingTools["jobs"] &
    Pick<Jobs, "bulk" | "take" | "submittedBulk" | "render" | "bulkResults" | "cancelBulk" | "page">;
  readonly pool: EvaluatingTools["pool"];
  readonly changes: Omit<RunChanges, "check" | "waitFor">;
  readonly calls: InnerCalls;
  readonly inventory: Pick<Inventory, "snapshot">;
  readonly plugins: Pick<Registry, "get">;
  readonly iso: (ms: number) => string;
  /** The caller with the rights of today; undefined: they have none any more. */
  ownerOf(id: string): Promise<Caller | undefined>;
}

/** Idempotency keys are kept for a day: of an older step it is not known whether it was submitted. */
const surelyOnceMs = 23 * 3_600_000;
/** How long a step is tried while the service cannot take it. */
const patienceMs = 3_600_000;
const passing = new Set(["Unavailable", "TooManyRequests", "StorageFull", "InProgress", "ResourceExhausted"]);

type Asked = OpenedRun["request"]["recipe"]["steps"][number];

/** Of a try: the first one has no number. */
const keyOf = ({ id }: Pick<StoredRun, "id">, at: number, { tries }: Pick<StoredStep, "tries">) =>
  `recipe:${id}:${at}${tries === 0 ? "" : `:${tries}`}`;

class StepFault extends Error {}

export function createSteps(tools: StepTools, stopping: () => AbortSignal) {
  const { jobs, changes, calls, iso } = tools;
  const { clock } = tools.store;
  const changeSteps = createChangeSteps({ changes, clock });
  const { evaluated, resultsOf } = createEvaluating(tools, stopping);

  async function nextOf(run: StoredRun): Promise<Next> {
    if (run.state === "proposed") return expired(run, clock.wall());
    const opened = openedRun(run);
    if (opened === undefined) return { move: ended("failed", "its request cannot be opened: it is damaged") };
    const { steps } = opened;
    const owner = await tools.ownerOf(run.holder);
    const at = steps.findIndex(({ state }) => !final.has(state));
    if (owner === undefined) {
      await changeSteps.withdraw(run, opened, at);
      return { move: withoutOwner(steps, run, clock.wall()) };
    }
    const step = steps[at];
    const asked = opened.request.recipe.steps[at];
    if (step === undefined) return { move: endOf(steps, run, opened.request.recipe.steps) };
    if (asked === undefined) return { move: ended("failed", "its steps are damaged") };
    if (step.state === "running" && step.bulk_id !== null) return bulkNext(run, opened, at, asked, owner);
    if (step.state === "running" && step.change !== null) return changeSteps.look(run, opened, at, owner);
    if (run.state !== "cancelling") return begun(run, opened, at, asked, owner);
    const unnoted = await begunUnnoted(run, opened, at, asked, owner);
    return { move: unnoted ? stepped(steps, at, unnoted) : cancelled(steps, at) };
  }

  /** What a node drafted or submitted for the step that seems to wait, and died before it could say so. */
  async function begunUnnoted(run: StoredRun, opened: OpenedRun, at: number, { kind }: Asked, owner: Caller) {
    const step = opened.steps[at];
    if (step === undefined) return undefined;
    if (kind === "change" && !opened.request.dry) return changeSteps.drafted(run, opened, at, owner);
    if (kind !== "change" && !bulkKinds.includes(kind)) return undefined;
    const bulk_id = await jobs.submittedBulk(performerOf(owner), keyOf(run, at, step));
    return bulk_id === undefined
      ? undefined
      : { state: "running" as const, bulk_id, started_at: clock.wall() };
  }

  async function begun(
    run: StoredRun,
    opened: OpenedRun,
    at: number,
    asked: Asked,
    owner: Caller,
  ): Promise<Next> {
    const { request, steps } = opened;
    const step = steps[at];
    if (step === undefined) return "later";
    const now = clock.wall();
    const since = step.due_at ?? steps[at - 1]?.ended_at ?? run.acceptedAt ?? run.createdAt;
    const skip = (reason: string): Next => ({
      move: stepped(steps, at, { state: "skipped", reason, ended_at: clock.wall() }),
    });
    if (step.due_at !== null && step.due_at > now) return { at: step.due_at };
    // Nothing moved it on while its window was open.
    const isLate = step.tries === 0 && isShut(asked, request.parameters, now);
    try {
      requireRecipe(owner, run.recipe);
      if (step.due_at === null || isLate) {
        const { when } = asked;
        if (isText(when) && (await evaluated(when, opened, owner)) !== "true")
          return skip(`its condition is not true: ${when}`);
        if (request.dry && leavesOut(asked)) return skip("a dry run leaves it out");
        const due = request.dry ? undefined : dueOf(timesOf(asked, request.parameters), since, now);
        if (due !== undefined)
          return { move: stepped(steps, at, { due_at: due, reason: `it waits until ${iso(due)}` }) };
      }
      const devices = await devicesOf(opened, at, asked, owner);
      if (devices === "none") return skip("`only` gives no devices");
      const made = bodyOfStep(asked, {
        values: request.parameters,
        devices,
        tags: [`recipe:${run.recipe}`, `run:${run.id}`],
        label: `${run.recipe}: ${asked.name}`,
        ticket: run.ticket,
        note: request.note,
        secrets: secretNames(request.recipe.parameters),
      });
      if ("message" in made) throw new StepFault(`${made.path}: ${made.message}`);
      if (asked.kind === "value") {
        const value = await valued(asked, opened, owner);
        return await stated(run, opened, at, asked, owner, { value });
      }
      if (asked.kind === "call") return await called(run, opened, at, asked, owner);
      const performer = performerOf(owner);
      if (asked.kind === "render") {
        const values = steps.flatMap(({ name, value }) => (value === null ? [] : [[name, value]]));
        const context = { ...Object.fromEntries(values), ...contextOf(made.request) };
        const body = bodyOf({ ...made.request, context });
        const { text } = await jobs.render(body, undefined, performer, stopping());
        const shown = createMasker(secretsOfRun(request)).text(text);
        return await stated(run, opened, at, asked, owner, { text: shown });
      }
      if (clock.wall() - since > surelyOnceMs)
        throw new StepFault("it was due a day ago, and may have been submitted then: nothing was sent again");
      const by = { ...performer, submitter: { kind: run.submitterKind, name: run.submitter } };
      const entries = asked.kind === "query" ? await factEntries(made.request) : undefined;
      if (entries?.devices.length === 0) return skip("no system of its devices has a command for that");
      const isDry = request.dry && (asked.kind === "push" || asked.kind === "change");
      const sent = isDry ? dryBody(asked.kind, made.request) : (entries ?? made.request);
      if (sent === undefined)
        return skip("a dry run leaves it out: its lines are computed when it is planned");
      if (asked.kind === "change" && !isDry)
        return { move: stepped(steps, at, await changeSteps.begun(bodyOf(sent), run, at, by)) };
      const bulk_id = await submitted(asked.kind, sent, by, keyOf(run, at, step));
      const started_at = step.started_at ?? clock.wall();
      return { move: stepped(steps, at, { state: "running", bulk_id, started_at, reason: null }) };
    } catch (error) {
      if (stopping().aborted) return "later";
      const isFault = error instanceof StepFault;
      const mayPass = !isFault && (!(error instanceof ServiceError) || passing.has(error.kind));
      if (mayPass && clock.wall() - since < patienceMs) return "later";
      const reason = isFault ? error.message : errorSentence(error);
      const failed = { state: "failed" as const, reason, ended_at: clock.wall() };
      return {
        move: stepped(steps, at, { started_at: clock.wall(), ...failed }, asked.on_failure),
      };
    }
  }

  /** A repeat after a crash may give another text, as the inventory has changed since: the first one counts. */
  async function submitted(kind: Asked["kind"], sent: object, by: Caller, key: string): Promise<string> {
    try {
      const submit = kind === "take" ? jobs.take : jobs.bulk;
      return (await submit(bodyOf(sent), by, key, stopping())).bulk_id;
    } catch (error) {
      const isOther = error instanceof ServiceError && error.kind === "Conflict";
      const former = isOther ? await jobs.submittedBulk(by, key) : undefined;
      if (former === undefined) throw error;
      return former;
    }
  }

  /** Each device is asked by the command of its system. Undefined: the step says a command. */
  async function factEntries({ fact, ...request }: Record<string, unknown>) {
    const what = v.safeParse(v.picklist(facts), fact);
    if (!what.success) return undefined;
    const snapshot = await tools.inventory.snapshot();
    const devices = (Array.isArray(request.devices) ? request.devices : []).flatMap((entry: unknown) => {
      const name = isRecord(entry) ? entry.device : undefined;
      const platform = typeof name === "string" ? (snapshot.device(name)?.platform ?? null) : null;
      const found = platform === null ? undefined : tools.plugins.get("platform", platform);
      const command = factCommand(found, what.output);
      return command === undefined ? [] : [{ device: name, command }];
    });
    return { ...request, devices };
  }

  /** Of the devices of the run those that the step has; on a repeat those that failed. @throws StepFault */
  async function devicesOf(
    opened: OpenedRun,
    at: number,
    asked: Asked,
    owner: Caller,
  ): Promise<readonly string[] | "none"> {
    let devices = opened.request.devices;
    const step = opened.steps[at];
    if (isText(asked.only)) {
      const given: unknown = JSON.parse(await evaluated(asked.only, opened, owner));
      const names = new Set((Array.isArray(given) ? given : given === null ? [] : [given]).map(String));
      const known = new Set(devices);
      const other = [...names].find((name) => !known.has(name));
      if (other !== undefined)
        throw new StepFault(
          `\`only\` gives ${JSON.stringify(other.slice(0, 100))}, which is no device of the run`,
        );
      devices = devices.filter((name) => names.has(name));
      if (devices.length === 0) return "none";
    }
    if (step === undefined || step.tries === 0) return devices;
    const last = { earlier: [], bulk_id: step.earlier.at(-1) ?? null };
    const results = await resultsOf(last, owner, devices);
    const bad = new Set(results.flatMap(({ device, status }) => (status === "finished" ? [] : [device])));
    return bad.size === 0 ? devices : devices.filter((name) => bad.has(name));
  }

  async function valued(asked: Asked, opened: OpenedRun, owner: Caller): Promise<unknown> {
    const { expression } = v.parse(valueStep, asked.request);
    return JSON.parse(await evaluated(expression, opened, owner));
  }

  /** One after the other. All that a kill cuts off is called again: only what may be is callable. */
  async function called(
    run: StoredRun,
    opened: OpenedRun,
    at: number,
    asked: Asked,
    owner: Caller,
  ): Promise<Next> {
    const request: CallStep = v.parse(callStep, asked.request);
    const entries = isText(request.each)
      ? listOf(JSON.parse(await evaluated(request.each, opened, owner)))
      : [null];
    if (entries.length > recipeLimits.calls)
      throw new StepFault(`\`each\` gives ${entries.length} entries, and may give ${recipeLimits.calls}`);
    const values: unknown[] = [];
    let failed = 0;
    let first = "";
    let chars = 0;
    for (const entry of entries) {
      const call = callOf(asked.request, opened.request.parameters, entry);
      try {
        if ("message" in call) throw new StepFault(call.message);
        values.push(await calls.call(call, owner, stopping()));
      } catch (error) {
        if (stopping().aborted) throw error;
        if (error instanceof ServiceError && passing.has(error.kind)) throw error;
        if (!(error instanceof ServiceError) && !(error instanceof StepFault)) throw error;
        const message = error instanceof StepFault ? error.message : errorSentence(error);
        if (failed++ === 0) first = message;
        values.push({ error: message });
      }
      chars += JSON.stringify(values.at(-1)).length;
      if (chars > recipeLimits.textChars)
        throw new StepFault(`its answers have more than ${recipeLimits.textChars / 1024} KiB`);
    }
    const value = isText(request.each) ? values : values[0];
    const counts = { total: entries.length, finished: entries.length - failed, failed, cancelled: 0 };
    const fault =
      failed === 0
        ? null
        : entries.length === 1
          ? first
          : `${failed} of ${entries.length} calls failed: ${first}`;
    return stated(run, opened, at, asked, owner, { value, counts }, fault);
  }

  /** What a step has made in the service itself. */
  async function stated(
    run: StoredRun,
    opened: OpenedRun,
    at: number,
    asked: Asked,
    owner: Caller,
    made: Pick<Partial<StoredStep>, "text" | "value" | "counts">,
    fault: string | null = null,
  ): Promise<Next> {
    const sizeOf = ({ text, value }: typeof made) =>
      (text?.length ?? 0) + (value === undefined || value === null ? 0 : JSON.stringify(value).length);
    if (sizeOf(made) > recipeLimits.textChars)
      throw new StepFault(`what it makes has more than ${recipeLimits.textChars / 1024} KiB`);
    const chars = opened.steps.reduce((sum, one) => sum + sizeOf(one), sizeOf(made));
    if (chars > recipeLimits.runTextChars)
      throw new StepFault(
        `texts and values of the run have more than ${recipeLimits.runTextChars / 1024} KiB`,
      );
    const started_at = opened.steps[at]?.started_at ?? clock.wall();
    return over(run, opened, at, asked, owner, { ...made, started_at }, fault);
  }

  async function bulkNext(
    run: StoredRun,
    opened: OpenedRun,
    at: number,
    asked: Asked,
    owner: Caller,
  ): Promise<Next> {
    const { steps } = opened;
    const step = steps[at];
    const bulk = step?.bulk_id ?? "";
    if (run.state === "cancelling") await withdraw(bulk, owner);
    const wanted = [...(step?.earlier ?? []), bulk];
    const all = await jobs.bulkResults(wanted);
    const result = all.get(bulk);
    if (result === undefined) {
      const reason = "its bulk is stored no more: how it ended is not known";
      return { move: stepped(steps, at, { state: "failed", reason, ended_at: clock.wall() }, "stop") };
    }
    if (result.status === "running") return { bulk };
    const { failed, cancelled } = result.counts;
    const isWhole = result.counts.finished + failed + cancelled;
    // A try after the first asks what failed before it, or all.
    const first = all.get(wanted[0] ?? "")?.counts ?? result.counts;
    const total = Math.max(first.finished + first.failed + first.cancelled, isWhole);
    const counts = { total, finished: total - failed - cancelled, failed, cancelled };
    const fault = await faultOf(bulk, counts, result, { jobs, owner });
    return over(run, opened, at, asked, owner, { counts }, fault);
  }

  /** A step has done what it does: whether that is enough, or it is tried again. */
  async function over(
    run: StoredRun,
    { request, steps }: OpenedRun,
    at: number,
    asked: Asked,
    owner: Caller,
    made: Partial<StoredStep>,
    failed: string | null,
  ): Promise<Next> {
    const now = clock.wall();
    const step = steps[at];
    // What a cancel has ended says nothing of the run.
    const isCancelling = run.state === "cancelling";
    let fault = failed;
    if (fault === null && isText(asked.expect) && !request.dry && !isCancelling) {
      const known = steps.map((one, index) =>
        index === at ? { ...one, ...made, state: "finished" as const } : one,
      );
      try {
        if ((await evaluated(asked.expect, { request, steps: known }, owner)) !== "true")
          fault = `what it expects is not true: ${asked.expect}`;
      } catch (error) {
        if (!(error instanceof ServiceError) || passing.has(error.kind)) throw error;
        fault = `expect: ${errorSentence(error)}`;
      }
    }
    const { retry } = asked;
    const tries = step?.tries ?? 0;
    if (fault !== null && retry && tries < retry.times && !request.dry && !isCancelling) {
      const due_at = now + retry.every * 1_000;
      const bulk = step?.bulk_id ?? null;
      return {
        move: stepped(steps, at, {
          ...{ ...made, state: "waiting", tries: tries + 1, due_at, bulk_id: null },
          earlier: [...(step?.earlier ?? []), ...(bulk === null ? [] : [bulk])],
          reason: `it is tried again at ${iso(due_at)}: ${fault}`,
        }),
      };
    }
    const state = fault === null ? ("finished" as const) : ("failed" as const);
    return {
      move: stepped(
        ...([steps, at, { ...made, state, reason: fault, due_at: null, ended_at: now }] as const),
        isCancelling ? "continue" : asked.on_failure,
      ),
    };
  }

  async function withdraw(bulk: string, owner: Caller): Promise<void> {
    try {
      await jobs.cancelBulk(bulk, false, performerOf(owner));
    } catch (error) {
      if (!(error instanceof ServiceError) || error.kind !== "NotFound") throw error;
    }
  }

  return { nextOf };
}

const isText = (text: string | null | undefined): text is string => typeof text === "string";
const bodyOf = (value: object) => ({ text: JSON.stringify(value), value });
const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : value === null ? [] : [value]);

/** A dry run asks and computes; what else changes something is left out. */
function leavesOut({ kind, request, dry_run }: Asked): boolean {
  return dry_run === "skip" || (kind === "call" && request.method !== "GET");
}

interface Times {
  /** Seconds. */
  readonly wait: number;
  readonly window: string | undefined;
}

/** What stands for parameters is filled. @throws StepFault */
function timesOf({ wait, window }: Pick<Asked, "wait" | "window">, values: Values): Times {
  const made = filled({ wait, window }, values);
  if ("message" in made) throw new StepFault(`${made.path}: ${made.message}`);
  const seconds = Number(made.request.wait ?? 0);
  if (!(seconds >= 0 && seconds <= recipeLimits.waitS))
    throw new StepFault(`wait: must be 0 to ${recipeLimits.waitS} seconds`);
  const within = made.request.window;
  if (typeof within !== "string" || within.trim() === "") return { wait: seconds, window: undefined };
  const problem = windowProblem(within);
  if (problem !== undefined) throw new StepFault(`window: ${problem}`);
  return { wait: seconds, window: within };
}

function isShut(asked: Asked, values: Values, now: number): boolean {
  if (!isText(asked.window)) return false;
  try {
    const { window } = timesOf(asked, values);
    return window !== undefined && readWindows([window]).openAt(now) === undefined;
  } catch {
    return false;
  }
}

/** @returns when it may begin, if that is not now */
function dueOf({ wait, window }: Times, since: number, now: number): number | undefined {
  const earliest = Math.max(now, since + wait * 1_000);
  if (window === undefined) return earliest > now ? earliest : undefined;
  const opens = readWindows([window]).nextOpen(earliest);
  if (opens === undefined) throw new StepFault(`window: it does not open within two weeks: ${window}`);
  return opens > now ? opens : undefined;
}
