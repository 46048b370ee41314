/** Runs a job through the pool: fetches templates, renders, executes and parses under one deadline. */

import type { CheckReport, StoredCheck, StoredChecks } from "../api/jobs/checks.ts";
import type { Payload } from "../api/jobs/request.ts";
import type { TemplateUse } from "../api/jobs/template-use.ts";
import { ServiceError } from "../base/errors.ts";
import { secretsOfJson } from "../base/secrets/mask.ts";
import { wordsOfRefusal } from "../base/text/refusal-text.ts";
import type { Deadline } from "../base/time/deadline.ts";
import { isStructure, textOf } from "../checks/output.ts";
import type { Restored } from "../history/port.ts";
import type { Pool, RunOptions } from "../pool/port.ts";
import { templateSetArgs } from "../pool/template-set.ts";
import { readTemplate } from "../pool/template-source.ts";
import type { TaskEvent, TaskQuestion } from "../protocol/message-port.ts";
import type {
  ConfigureTask,
  OutputsValue,
  QueryTask,
  ReadPart,
  ShownConfiguration,
} from "../protocol/task.ts";
import type { ClaimedJob } from "../store/port.ts";
import type { Output } from "./result.ts";

export type Warned = (warnings: readonly string[]) => void;

/** Questions of the device task, except for check values. */
export type DeviceQuestion = Exclude<TaskQuestion, { about: "value" }>;

export interface JobObserver {
  answer(question: DeviceQuestion): Promise<unknown>;
  /** Called with warnings of the driver and templates. */
  readonly warned: Warned;
  /** Called with live output, file transfer progress, and steps if `traced`. */
  onEvent(event: TaskEvent): void;
  readonly traced: boolean;
  /** Of a take. */
  readonly shows?: ShownConfiguration | undefined;
  /** Of a job that restores a version: what it pushes in place of its masked lines. */
  readonly restored?: Restored | undefined;
  /** Of a job that leaves a push open, or ends one. */
  readonly markKey?: string | undefined;
  /** Resolves when the end of the job is stored, or can no longer be. */
  readonly settled: Promise<void>;
  /** The lines of a configuration, rendered, before any is sent. */
  onLines?(lines: readonly string[]): void;
  /** The driver has returned, with the platform if detected: later errors are not those of the device. */
  answered(platform: string | undefined): void;
}

interface TemplateText {
  readonly source: string;
  readonly trusted: boolean;
}

export interface JobOutputs {
  readonly outputs: Output[];
  /** Report of checks. */
  readonly checks?: CheckReport;
  /** Of a dry run. */
  readonly compared?: boolean;
  /** Of a take. */
  readonly configuration?: readonly ReadPart[];
}

/**
 * @throws ServiceError the failure of the job, with outputs so far in `detail.partial`.
 */
export async function runJob(
  pool: Pool,
  job: ClaimedJob,
  payload: Payload,
  deadline: Deadline,
  { answer, warned, onEvent, traced, settled, onLines, answered, shows, restored, markKey }: JobObserver,
): Promise<JobOutputs> {
  const { parsing } = payload;
  // Fails on a missing template before the device is touched.
  const template = parsing && (await readTemplate(pool, parsing.template, deadline, payload.reach ?? []));
  const computed =
    payload.checks && (await checkValues(pool, job, payload, payload.checks, deadline, warned));
  const lines = await linesToPush(pool, job, payload, deadline, warned);
  if (lines !== undefined) onLines?.(lines);
  const pinned = job.strategy === "pinned";
  const options: RunOptions = {
    deadline,
    answer: (question) => (question.about === "value" ? valueOfCheck(computed, question) : answer(question)),
    onEvent,
    settled,
    ...(pinned ? { host: job.hostKey } : {}),
  };
  const device = {
    driver: job.driver,
    connection: payload.connection,
    args: payload.driverArgs,
    keep: pinned,
    ...(payload.rendering ? { secrets: secretsOfJson(payload.contextJson ?? "{}") } : {}),
    reach: payload.reach ?? [],
    whose: job.caller,
    job: job.fence.id,
    ...(traced ? { traced } : {}),
    ...(payload.detached ? { detachAs: job.fence.id } : {}),
  };
  const task: QueryTask | ConfigureTask =
    payload.operation === "query"
      ? {
          ...{ kind: "query", ...device, commands: payload.commands ?? [], ...(shows ? { shows } : {}) },
          ...(payload.checks ? { checks: payload.checks.after } : {}),
        }
      : {
          kind: "configure",
          ...device,
          lines: restored?.lines ?? lines ?? [],
          ...(restored ? { secrets: restored.secrets, restores: restored.shown } : {}),
          ...(payload.checks ? { checks: payload.checks } : {}),
          ...(payload.ends ? { ends: payload.ends } : {}),
          ...(markKey === undefined ? {} : { markKey }),
        };
  const value = await pool.run(task, options);
  answered(value.platform);
  warned(value.warnings ?? []);
  const outputs =
    parsing && template
      ? await parse(pool, job, payload, { ...parsing, ...template }, value, deadline, warned)
      : value.outputs;
  const { checks, compared, configuration } = value;
  return { outputs, checks, compared, configuration };
}

/** Those of the request, or what its template renders. */
export async function linesToPush(
  pool: Pool,
  job: Pick<ClaimedJob, "share">,
  payload: Payload,
  deadline: Deadline,
  warned: Warned,
): Promise<string[] | undefined> {
  if (!payload.rendering) return payload.lines;
  return render(pool, job.share, payload, payload.rendering, deadline, warned);
}

async function render(
  pool: Pool,
  caller: string,
  payload: Payload,
  use: TemplateUse,
  deadline: Deadline,
  warned: Warned,
): Promise<string[]> {
  const { source, trusted } = await readTemplate(pool, use.template, deadline, payload.reach ?? []);
  const { text, warnings = [] } = await asTemplateFailure("RenderError", () =>
    pool.run(
      {
        kind: "render",
        engine: use.name,
        source,
        trusted,
        args: use.args ?? {},
        contextJson: payload.contextJson ?? "{}",
      },
      { deadline, share: { key: caller, job: true } },
    ),
  );
  warned(warnings);
  const texts = payload.renderedWhole === true ? [text] : text.split(/\r\n|\n|\r/);
  const lines = texts.filter((line) => line.trim() !== "");
  if (lines.length > 0) return lines;
  throw new ServiceError("RenderError", "The template rendered no lines: there is nothing to push.");
}

async function parse(
  pool: Pool,
  job: ClaimedJob,
  payload: Payload,
  use: TemplateUse & TemplateText,
  { outputs, platform = job.deviceType ?? "", warnings: ofDevice = [] }: OutputsValue,
  deadline: Deadline,
  warned: Warned,
): Promise<Output[]> {
  const { source, trusted } = use;
  try {
    const parsed: Output[] = [];
    for (const commandOutput of outputs) {
      const { command, output, failed } = commandOutput;
      if (failed === true) {
        parsed.push(commandOutput);
        continue;
      }
      if (payload.argsOnly !== true && isStructure(output)) warned([structureWarning(command)]);
      // The set selects a template per command.
      const args =
        source === "" && payload.argsOnly !== true
          ? templateSetArgs(use.args ?? {}, payload.setField, platform, command)
          : (use.args ?? {});
      const task = {
        kind: "parse" as const,
        engine: use.name,
        source,
        trusted,
        args,
        texts: [textOf(output)],
      };
      try {
        const { json, warnings = [] } = await asTemplateFailure("ParseError", () =>
          pool.run(task, { deadline, share: { key: job.share, job: true } }),
        );
        warned(warnings);
        parsed.push({ command, json: json[0] ?? "null" });
      } catch (error) {
        const doesNotFit = error instanceof ServiceError && error.kind === "ParseError";
        if (!doesNotFit) throw error;
        if (payload.parsingLenient !== true) throw withCause(error, command, ofDevice);
        parsed.push({ command, output });
      }
    }
    return parsed;
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    // A parse error keeps the raw output.
    throw new ServiceError(
      error.kind,
      error.message,
      { ...error.detail, partial: outputs },
      { cause: error },
    );
  }
}

/** Of a refused command the template is not to blame, unless it is faulty whatever the device answers. */
function withCause(error: ServiceError, command: string, warnings: readonly string[]): ServiceError {
  const words = wordsOfRefusal(warnings, command);
  const detail = { ...error.detail, command };
  const isFaulty = Reflect.get(detail, "template_error") === "TemplateSyntax";
  if (words === undefined || isFaulty)
    return new ServiceError(error.kind, error.message, detail, { cause: error });
  const message = `The device refused the command ${JSON.stringify(command)}: ${words} (so its output could not be parsed: ${error.message})`;
  return new ServiceError("CommandError", message, detail, { cause: error });
}

function structureWarning(command: string): string {
  return `the output of ${JSON.stringify(command)} is structured data, and its JSON was parsed: request text from the device`;
}

/** Computes values of checks for worker threads: parses outputs and evaluates expressions in template processes. */
type ValueQuestion = Extract<TaskQuestion, { about: "value" }>;
type ComputeValue = (question: ValueQuestion) => Promise<string>;
type Template = Awaited<ReturnType<typeof readTemplate>>;

function valueOfCheck(computed: ComputeValue | undefined, question: ValueQuestion): Promise<string> {
  return computed
    ? computed(question)
    : Promise.reject(new ServiceError("Internal", "The job has no checks."));
}

/** Reads templates first, so that a missing one fails before the device is touched. @returns a value as JSON text */
async function checkValues(
  pool: Pool,
  job: ClaimedJob,
  payload: Payload,
  checks: StoredChecks,
  deadline: Deadline,
  warned: (warnings: readonly string[]) => void,
): Promise<ComputeValue> {
  const options: RunOptions = { deadline, share: { key: job.share, job: true } };
  const templates = new Map<StoredCheck, Template>();
  for (const check of [...checks.before, ...checks.after])
    if (check.parse)
      templates.set(check, await readTemplate(pool, check.parse.template, deadline, payload.reach ?? []));

  async function parsed(
    check: StoredCheck,
    use: TemplateUse,
    { output, platform = job.deviceType ?? "" }: ValueQuestion,
  ): Promise<string> {
    const { source, trusted } = templates.get(check) ?? { source: "", trusted: false };
    const ownArgs = use.args ?? {};
    const args =
      source === "" && check.argsOnly !== true
        ? templateSetArgs(ownArgs, check.setField, platform, check.command)
        : ownArgs;
    const texts = [textOf(output)];
    const task = { kind: "parse" as const, engine: use.name, source, trusted, args, texts };
    const { json, warnings = [] } = await asTemplateFailure("ParseError", () => pool.run(task, options));
    warned(warnings);
    return json[0] ?? "null";
  }

  return async (question) => {
    const check = checks[question.phase][question.at];
    if (!check) throw new ServiceError("Internal", "There is no such check");
    const { parse, expression } = check;
    const json = parse ? await parsed(check, parse, question) : JSON.stringify(question.output ?? null);
    if (expression === undefined) return json;
    const task = { kind: "evaluate" as const, expression, json };
    return (await asTemplateFailure("ParseError", () => pool.run(task, options))).json;
  };
}

/** Converts template failures to RenderError or ParseError, but keeps job timeouts. */
async function asTemplateFailure<T>(kind: "RenderError" | "ParseError", run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    if (!(error instanceof ServiceError) || !/^(Template|NotFound|Validation|BadRequest)/.test(error.kind))
      throw error;
    throw new ServiceError(kind, error.message, { ...error.detail, reason: error.kind }, { cause: error });
  }
}
