/** Checks a recipe when it is written: each step must be a request that can be kept and submitted later. */
import * as v from "valibot";
import { changeRequest } from "../../api/changes/change.ts";
import { question } from "../../api/changes/change-gates.ts";
import { takeRequest } from "../../api/history/history.ts";
import { bulkRequest, renderRequest } from "../../api/jobs/request.ts";
import {
  bulkKinds,
  callStep,
  type RecipeParameters,
  type RecipeRequest,
  type RecipeStep,
  recipeRequest,
  repeatableKinds,
  valueStep,
  wholePlace,
} from "../../api/recipes/recipe.ts";
import { readStrict } from "../../api/strict.ts";
import type { Caller } from "../../auth/port.ts";
import { type Issue, placedIn, refuse, refuseAny } from "../../base/issues.ts";
import { isGiven, isRecord } from "../../base/json/members.ts";
import { secretsOfQuestion } from "../../base/secrets/question-secrets.ts";
import { isSecretName } from "../../base/secrets/secret-name.ts";
import { suggestion } from "../../base/text/near-names.ts";
import { windowProblem } from "../../base/time/maintenance-windows.ts";
import type { RunChanges } from "../../changes/port.ts";
import { expressionFault } from "../../checks/expression.ts";
import { readSelector } from "../../inventory/selector/selector.ts";
import { facts } from "../../jobs/facts.ts";
import type { Jobs } from "../../jobs/port.ts";
import { bodyOfStep } from "./body.ts";
import { callIssues, isEach } from "./calls.ts";
import { type Placed, placesOf } from "./fill.ts";
import { parameterIssues, sampleOf, secretNames, type Values } from "./parameters.ts";

interface CheckTools {
  readonly jobs: Pick<Jobs, "checkKept">;
  readonly changes: Pick<RunChanges, "check">;
}

/** @throws ServiceError Validation, Forbidden */
export async function checkRecipe(
  value: unknown,
  caller: Caller,
  { jobs, changes }: CheckTools,
): Promise<RecipeRequest> {
  const read = readStrict(recipeRequest, value);
  if ("issues" in read) return refuse(read.issues);
  const recipe = read.output;
  refuseAny([
    ...(recipe.parameters ? parameterIssues(recipe.parameters) : []),
    ...(await stepIssues(recipe)),
  ]);
  for (const name of ["select", "within"] as const) {
    const selector = recipe.devices?.[name];
    if (placesOf({ selector }).length > 0)
      refuse([
        {
          path: `devices.${name}`,
          message:
            "holds no parameter, and would match nothing: a run names its devices by `devices` or `select`, and a step may have a `select` with one",
        },
      ]);
    if (isGiven(selector)) readSelector(selector ?? "", `devices.${name}`);
  }
  const values = samplesOf(recipe.parameters);
  for (const [at, step] of recipe.steps.entries()) {
    if (["render", "value", "call"].includes(step.kind)) continue;
    const made = bodyOfStep(step, { values, devices: ["any"], tags: [] });
    if ("message" in made) refuse([{ path: `steps.${at}.request.${made.path}`, message: made.message }]);
    try {
      if (step.kind === "change") {
        await changes.check({ text: JSON.stringify(made.request), value: made.request }, caller);
        continue;
      }
      if (step.kind === "take") {
        await jobs.checkKept({ ...made.request, devices: null, select: "all" }, caller, "take");
        continue;
      }
      // The devices of a run are not known yet, nor the commands of their systems.
      const { devices: _, fact, ...kept } = made.request;
      const request = isGiven(fact) ? { ...kept, command: "show version" } : kept;
      const own = isGiven(step.request.devices)
        ? made.request
        : { ...request, select: request.select ?? "all" };
      await jobs.checkKept(own, caller);
    } catch (error) {
      throw placedIn(error, `steps.${at}.request`);
    }
  }
  return recipe;
}

/** Without secrets, which no stored request may have. */
function samplesOf(parameters: RecipeParameters | null | undefined): Values {
  const secrets = secretNames(parameters);
  return Object.fromEntries(
    Object.entries(parameters?.properties ?? {}).flatMap(([name, one]) =>
      secrets.has(name) ? [] : [[name, sampleOf(one)]],
    ),
  );
}

async function stepIssues({ steps, parameters, devices, policy }: RecipeRequest): Promise<Issue[]> {
  const issues: Issue[] = [];
  const properties = parameters?.properties ?? {};
  const names = new Set<string>();
  if (isGiven(devices?.select) && isGiven(devices?.within))
    issues.push({ path: "devices.within", message: "does not apply: `select` says which devices a run has" });
  for (const [at, step] of steps.entries()) {
    const path = `steps.${at}`;
    if (names.has(step.name)) issues.push({ path: `${path}.name`, message: "is the name of another step" });
    names.add(step.name);
    if (step.kind === "push" && policy?.change_required === true)
      issues.push({
        path: `${path}.kind`,
        message: "is push, and `policy.change_required` is true: make it a step of the kind change",
      });
    issues.push(...requestIssues(step).map((issue) => ({ ...issue, path: `${path}.request.${issue.path}` })));
    const isCall = step.kind === "call";
    const within = step.window ?? "";
    const shut = within === "" || wholePlace.test(within) ? undefined : windowProblem(within);
    if (shut !== undefined) issues.push({ path: `${path}.window`, message: shut });
    for (const name of ["wait", "window"] as const) {
      const [, named] = wholePlace.exec(String(step[name] ?? "")) ?? [];
      if (named !== undefined && !Object.hasOwn(properties, named))
        issues.push({ path: `${path}.${name}`, message: `{{ ${named} }} is no parameter` });
    }
    for (const place of step.kind === "value" ? [] : placesOf(step.request)) {
      if (isCall && (isEach(place.name) || place.path === "each")) continue;
      const one = Object.hasOwn(properties, place.name) ? properties[place.name] : undefined;
      const where = `${path}.request.${place.path}`;
      if (one === undefined) issues.push({ path: where, message: `{{ ${place.name} }} is no parameter` });
      else if (one.format === "secret" && step.kind === "change")
        issues.push({
          path: where,
          message: `{{ ${place.name} }} is a secret, and those who vote on a change see what it sends: make it a step of the kind push, or use a credential`,
        });
      else if (one.format === "secret" && !isPlaceOfSecret(place))
        issues.push({
          path: where,
          message: `{{ ${place.name} }} is a secret: it must be the whole value of a member with the name of a secret, or a variable of a template`,
        });
      else if (place.isPart && one.format === "multiline")
        issues.push({
          path: where,
          message: `{{ ${place.name} }} has several lines: it must be the whole text`,
        });
    }
    issues.push(...memberIssuesOf(step).map((issue) => ({ ...issue, path: `${path}.${issue.path}` })));
    const { expression, each } = step.request;
    const expressions = { when: step.when, only: step.only, expect: step.expect };
    const made = { "request.expression": expression, "request.each": isCall ? each : undefined };
    for (const [name, one] of Object.entries({ ...expressions, ...made })) {
      const fault = typeof one === "string" ? await expressionFault(one) : undefined;
      if (fault !== undefined) issues.push({ path: `${path}.${name}`, message: fault });
    }
  }
  return issues;
}

/** Where records and outputs are masked by the name of the member. */
const isPlaceOfSecret = ({ path, isPart }: Placed) => !isPart && isSecretName(path.split(".").at(-1) ?? "");

const bulkMembers = Object.keys(bulkRequest.entries);
const known: Readonly<Record<RecipeStep["kind"], readonly string[]>> = {
  query: [...bulkMembers, "fact"],
  push: bulkMembers,
  change: Object.keys(changeRequest.entries),
  take: Object.keys(takeRequest.entries),
  value: Object.keys(valueStep.entries),
  call: Object.keys(callStep.entries),
  render: Object.keys(renderRequest.entries),
};

/** Members for other kinds. */
function memberIssuesOf({ kind, only, retry, dry_run, request }: RecipeStep): Issue[] {
  const issues: Issue[] = [];
  const asksDevices = kind === "change" || bulkKinds.includes(kind);
  if (isGiven(only) && (!asksDevices || isGiven(request.devices) || isGiven(request.select)))
    issues.push({ path: "only", message: "is for steps that have the devices of the run" });
  if (isGiven(retry) && !repeatableKinds.includes(kind))
    issues.push({
      path: "retry",
      message: `is for what may be done again: the kinds ${repeatableKinds.join(", ")}`,
    });
  if (isGiven(dry_run) && kind === "render")
    issues.push({ path: "dry_run", message: "does not apply: rendering changes nothing" });
  return issues;
}

/** Stricter than a submission, which tells of members that nothing reads: what is stored is read by others. */
function requestIssues({ kind, request }: RecipeStep): Issue[] {
  if (kind === "call") return [...callIssues(request), ...memberIssues(request.body, "body.", true)];
  const issues: Issue[] = [];
  const has = (name: string) => isGiven(request[name]);
  if (kind === "query" && has("fact")) {
    if (!v.is(v.picklist(facts), request.fact))
      issues.push({ path: "fact", message: `must be one of ${facts.join(", ")}` });
    for (const name of ["command", "parsing", "devices", "select"])
      if (has(name)) issues.push({ path: name, message: "does not apply: `fact` says what is asked" });
  }
  if (kind === "query" && has("config")) issues.push({ path: "config", message: "is for the kind push" });
  if (kind === "push" && !has("config") && !has("rendering"))
    issues.push({ path: "config", message: "is required for the kind push, or `rendering`" });
  if (kind === "value" && !has("expression")) issues.push({ path: "expression", message: "is required" });
  if (kind === "render" && !has("template")) issues.push({ path: "template", message: "is required" });
  if (kind === "render" && has("device"))
    issues.push({ path: "device", message: "does not apply: this kind has no device" });
  for (const name of Object.keys(request))
    if (!known[kind].includes(name))
      issues.push({ path: name, message: `is not known.${suggestion(name, known[kind])}` });
  for (const name of ["ticket", "note", "not_before"])
    if (has(name) && !(kind === "take" && name === "note"))
      issues.push({ path: name, message: "is said by the run" });
  if (kind === "change") issues.push(...questionIssues(request));
  // Bulks are checked by the jobs.
  issues.push(...memberIssues(request, "", kind === "render" || kind === "change"));
  return issues;
}

const holdsSecret = "holds a secret, and everybody who may read recipes would see it";

function questionIssues({ strategy }: RecipeStep["request"]): Issue[] {
  const read = v.safeParse(v.looseObject({ questions: v.array(question) }), strategy);
  if (!read.success) return [];
  return read.output.questions.flatMap((one, at) =>
    secretsOfQuestion(one).length > 0 ? [{ path: `strategy.questions.${at}`, message: holdsSecret }] : [],
  );
}

/**
 * In the names of members, which are not filled, and of secrets.
 * @param isLooked whether secrets are looked for
 */
function memberIssues(value: unknown, path: string, isLooked: boolean): Issue[] {
  if (Array.isArray(value))
    return value.flatMap((entry, at) => memberIssues(entry, `${path}${at}.`, isLooked));
  if (!isRecord(value)) return [];
  return Object.entries(value).flatMap(([name, member]) => {
    const at = `${path}${name.slice(0, 64)}`;
    if (/\{\{/.test(name))
      return [{ path: at, message: "is the name of a member, where no parameter is put in" }];
    if (isLooked && isSecretName(name) && typeof member === "string" && placesOf({ member }).length === 0)
      return [{ path: at, message: holdsSecret }];
    return memberIssues(member, `${at}.`, isLooked);
  });
}
