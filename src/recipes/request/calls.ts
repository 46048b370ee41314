/** Requests to this API that a step of the kind `call` may make, and how its path is built. Pure. */
import { type CallStep, callStep } from "../../api/recipes/recipe.ts";
import { readStrict } from "../../api/strict.ts";
import type { Issue } from "../../base/issues.ts";
import { isRecord } from "../../base/json/members.ts";
import { filled, placesOf } from "./fill.ts";
import type { Value, Values } from "./parameters.ts";

/**
 * Only what may be repeated after a kill, and what answers no secret. The scope and the right of each route are asked of the
 * caller of the run.
 */
export const callable: readonly string[] = [
  ...["GET /bulk/:name", "GET /bulk/:name/results", "GET /change/:name", "GET /change/:name/target"],
  ...["GET /drift", "GET /drift/device/:name", "GET /drift/line", "GET /drift/summary", "POST /drift/run"],
  ...["GET /history/change", "GET /history/device", "GET /history/device/:name"],
  ...["GET /history/device/:name/:item", "GET /history/device/:name/blame", "GET /history/device/:name/diff"],
  ...["GET /history/search", "GET /intent", "GET /intent/:name", "PUT /intent/:name", "GET /job"],
  ...["GET /inventory/device", "GET /inventory/device/:name", "PATCH /inventory/device/:name"],
  ...["GET /inventory/group", "GET /inventory/group/:name", "PUT /credential/:name", "GET /statistics"],
];

const only = /^\{\{\s*[A-Za-z_][\w.]*\s*\}\}$/;

/**
 * By the path as it is written: a value is a name, also if it is a word of another route.
 * @returns the route, such as `GET /job`; undefined: there is none that it may call
 */
export function routeOf({ method, path }: Pick<CallStep, "method" | "path">): string | undefined {
  const asked = path.split("/");
  const fits = callable.filter((route) => {
    const [verb, pattern = ""] = route.split(" ");
    const steps = pattern.split("/");
    return (
      verb === method &&
      steps.length === asked.length &&
      steps.every((step, at) => (step.startsWith(":") ? isName(asked[at] ?? "") : step === asked[at]))
    );
  });
  const names = (route: string) => route.split(":").length;
  return fits.sort((a, b) => names(a) - names(b))[0];
}

const isName = (step: string) => only.test(step) || (/^[\w.:@-]+$/.test(step) && !/^\.+$/.test(step));

export function callIssues(request: Readonly<Record<string, unknown>>): Issue[] {
  const read = readStrict(callStep, request);
  if ("issues" in read) return [...read.issues];
  const issues: Issue[] = [];
  const [bare, ...asked] = read.output.path.split("?");
  if (asked.length > 0) {
    const names = [...new URLSearchParams(asked.join("?")).keys()].map((name) => `\`${name}\``).join(", ");
    const what = names === "" ? "a `?`" : `the query parameter ${names}`;
    issues.push({ path: "path", message: `holds ${what}: write \`path: ${bare}\`, and it below \`query\`` });
  } else if (routeOf(read.output) === undefined)
    issues.push({
      path: "path",
      message: `is nothing that a recipe calls by ${read.output.method}: ${callable.join(", ")}; a parameter can stand for a whole step of the path`,
    });
  for (const { name, path } of placesOf(request))
    if (isEach(name) && read.output.each === undefined)
      issues.push({ path, message: `{{ ${name} }} needs \`each\`` });
  return issues;
}

/** The entry of `each`, or a member of it. */
export const isEach = (name: string) => name === "each" || name.startsWith("each.");

export interface InnerCall {
  /** One of `callable`. */
  readonly route: string;
  readonly method: CallStep["method"];
  /** With the query. */
  readonly path: string;
  readonly body: Record<string, unknown> | undefined;
}

/** @param entry of `each` */
export function callOf(
  request: Readonly<Record<string, unknown>>,
  values: Values,
  entry: unknown,
): InnerCall | { readonly message: string } {
  const { method, path, query, body } = callAs(request);
  const route = routeOf({ method, path });
  if (route === undefined) return { message: `${method} ${path} is nothing that a recipe calls` };
  const all = { ...values, ...valuesOfEntry(entry) };
  const steps: string[] = [];
  for (const step of path.split("/")) {
    const made = only.test(step) ? filled({ step }, all) : { request: { step } };
    if ("message" in made) return { message: made.message };
    const said = String(made.request.step ?? "");
    // A URL reads dots as another path.
    if (step !== "" && (said === "" || /^\.+$/.test(said) || !said.isWellFormed()))
      return { message: `path: ${JSON.stringify(said)} is no name (${step})` };
    steps.push(step === said ? step : encodeURIComponent(said));
  }
  const made = filled({ query: query ?? {}, body: body ?? {} }, all);
  if ("message" in made) return { message: `${made.path}: ${made.message}` };
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(isRecord(made.request.query) ? made.request.query : {}))
    search.set(name, String(value));
  const question = search.size === 0 ? "" : `?${search}`;
  const sent = isRecord(made.request.body) && method !== "GET" ? made.request.body : undefined;
  return { route, method, path: `${steps.join("/")}${question}`, body: sent };
}

/** As it was written, and checked then. */
function callAs(request: Readonly<Record<string, unknown>>): CallStep {
  const read = readStrict(callStep, request);
  if ("issues" in read) throw new TypeError("A call was stored that is none.");
  return read.output;
}

function valuesOfEntry(entry: unknown): Values {
  const single = (value: unknown): value is Value =>
    typeof value === "string" || typeof value === "number" || typeof value === "boolean";
  const all: Record<string, Value> = {};
  if (single(entry)) all.each = entry;
  else if (isRecord(entry))
    for (const [name, value] of Object.entries(entry)) if (single(value)) all[`each.${name}`] = value;
  return all;
}
