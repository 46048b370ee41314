/** Runs the calls of a job on one session: getters concurrently if possible, everything else in order. */
import type { Context, Outputs } from "patchbay/plugin";
import { PluginError, withDetail } from "patchbay/plugin";
import { messageOf } from "../shared/message.ts";
import { createAnswers, type JobAnswers } from "./answers.ts";
import type { QueryArgs } from "./args.ts";
import { type Call, type GetCall, getCallOf, isStepOfChange } from "./calls.ts";
import { createCandidate } from "./candidate.ts";
import { type Control, runControl } from "./control.ts";
import { ofOneMethod } from "./failures.ts";
import type { Method } from "./methods.ts";
import type { SystemSession } from "./system.ts";
import { systemNames } from "./system-names.ts";
import { systems } from "./systems.ts";

/** Maximum number of concurrent getters. */
const width = 4;

interface Answered {
  readonly call: Call;
  readonly output?: unknown;
  /** The error of this method; the others still return results. */
  readonly error?: PluginError;
}

interface Run extends Control {
  readonly answers: JobAnswers;
  readonly methods: readonly Method[];
}

export async function runCalls(
  calls: readonly Call[],
  { session, system, methods }: { session: SystemSession; system: string; methods: readonly Method[] },
  args: QueryArgs,
  ctx: Context,
): Promise<Outputs> {
  const candidate = createCandidate(session.configuration);
  const run: Run = {
    session,
    system,
    methods,
    args,
    candidate,
    answers: createAnswers(),
    ask: (check) => outputOf(getCallOf(check), run, ctx),
  };
  const answered: Answered[] = [];
  for (const group of groupsOf(calls, session.concurrent)) {
    if (ctx.signal.aborted) throw withOutputs(ctx.signal.reason, answered);
    const results = await Promise.allSettled(group.map((call) => answer(call, run, ctx)));
    const lost = results.find(({ status }) => status === "rejected");
    for (const result of results) if (result.status === "fulfilled") answered.push(result.value);
    if (lost?.status === "rejected") throw withOutputs(lost.reason, answered);
    if (!group.every(tells)) run.answers.forget();
  }
  if (candidate.open) ctx.warn("the candidate was discarded: commit_config was not among the commands");
  const failures = answered.flatMap(({ error }) => (error === undefined ? [] : [error]));
  if (failures.length === answered.length && failures[0] !== undefined) throw failures[0];
  return [...outputsOf(answered), ...(args.raw === true ? [rawOf(run.answers)] : [])];
}

/** A getter without side effects, whose result does not change within the job. */
const tells = (call: Call | undefined) =>
  call?.kind === "get" && call.method !== "ping" && call.method !== "traceroute";

/** Groups calls that may run concurrently; the others run alone, in order. */
function groupsOf(calls: readonly Call[], concurrent: boolean): Call[][] {
  const groups: Call[][] = [];
  for (const call of calls) {
    const last = groups.at(-1);
    if (concurrent && last !== undefined && tells(call) && tells(last[0]) && last.length < width)
      last.push(call);
    else groups.push([call]);
  }
  return groups;
}

/** @throws errors that end the job: the session or the job's time is lost */
async function answer(call: Call, run: Run, ctx: Context): Promise<Answered> {
  try {
    return { call, output: await outputOf(call, run, ctx) };
  } catch (error) {
    if (ctx.signal.aborted) throw ctx.signal.reason;
    if (!(error instanceof PluginError)) return { call, error: notUnderstood(call.method, error) };
    const named = withDetail(error, { command: error.detail?.command ?? call.method }) as PluginError;
    // A failed change fails the job, since later calls may depend on it.
    if (!ofOneMethod.has(error.kind) || isStepOfChange(call)) throw named;
    return { call, error: named };
  }
}

async function outputOf(call: Call, run: Run, ctx: Context): Promise<unknown> {
  switch (call.kind) {
    case "text":
      return run.session.cli(call.method, ctx);
    case "control":
      return runControl(call, run, ctx);
    case "get":
      if (!run.methods.includes(call.method)) throw await notThere(call.method, run.system);
      return get(call, run, ctx);
  }
}

function get({ method, args }: GetCall, { session, answers }: Run, ctx: Context): Promise<unknown> {
  return session.get(method, args, answers.of(method), ctx);
}

async function notThere(method: Method, system: string): Promise<PluginError> {
  const perSystem = await Promise.all(
    systemNames.map(async (name) => ((await systems[name]()).default.methods.includes(method) ? [name] : [])),
  );
  const having = perSystem.flat();
  return new PluginError(
    "DriverError",
    `The system ${system} does not support ${method}${having.length === 0 ? "; no system does" : `; these do: ${having.join(", ")}`}.`,
    { command: method, outcome: "none", unsupported: true },
  );
}

function notUnderstood(method: string, error: unknown): PluginError {
  const reason = messageOf(error);
  return new PluginError("DriverError", `The device's response to ${method} could not be parsed: ${reason}`, {
    command: method,
  });
}

function outputsOf(answered: readonly Answered[]): Outputs {
  return answered.map(({ call: { method }, output = null, error }) => ({
    command: method,
    output,
    ...(error === undefined ? {} : { error }),
  }));
}

function rawOf(answers: JobAnswers): Outputs[number] {
  return { command: "raw", output: answers.raw() };
}

function withOutputs(error: unknown, answered: readonly Answered[]): unknown {
  const partial = answered.flatMap(({ call, output, error }) =>
    error === undefined ? [{ command: call.method, output }] : [],
  );
  return partial.length === 0 ? error : withDetail(error, { partial });
}
