/** Computes values of checks for worker threads: parses outputs and evaluates expressions in template processes. */

import type { StoredCheck, StoredChecks } from "../api/checks.ts";
import type { Payload } from "../api/request.ts";
import type { TemplateUse } from "../api/template-use.ts";
import { ServiceError } from "../base/errors.ts";
import type { Deadline } from "../base/time/deadline.ts";
import { textOf } from "../checks/output.ts";
import type { Pool, RunOptions } from "../pool/port.ts";
import { templateSetArgs } from "../pool/template-set.ts";
import { readTemplate } from "../pool/template-source.ts";
import type { TaskQuestion } from "../protocol/message-port.ts";
import type { ClaimedJob } from "../store/port.ts";
import { asTemplateFailure } from "./template-failure.ts";

type ValueQuestion = Extract<TaskQuestion, { about: "value" }>;
type ComputeValue = (question: ValueQuestion) => Promise<string>;
type Template = Awaited<ReturnType<typeof readTemplate>>;

export function orRefuse(computed: ComputeValue | undefined, question: ValueQuestion): Promise<string> {
  return computed
    ? computed(question)
    : Promise.reject(new ServiceError("Internal", "The job has no checks."));
}

/** Reads templates first, so that a missing one fails before the device is touched. @returns a value as JSON text */
export async function checkValues(
  pool: Pool,
  job: ClaimedJob,
  payload: Payload,
  checks: StoredChecks,
  deadline: Deadline,
  warned: (warnings: readonly string[]) => void,
): Promise<ComputeValue> {
  const options: RunOptions = { deadline, share: { key: job.caller, job: true } };
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
