/**
 * Members of a request that nothing reads: accepted, as older clients send them, but told; refused if a misspelt member
 * would turn the request into another one, such as a dry run into a push.
 */

import { bulkRequest, executeRequest, operationOptions } from "../../api/jobs/request.ts";
import { templateFields, templateUse } from "../../api/jobs/template-use.ts";
import { isGiven, isRecord } from "../../base/json/members.ts";
import { edits, nearNames } from "../../base/text/near-names.ts";
import type { DriverPlugin } from "../../plugin/index.ts";
import { fieldsOf } from "../../registry/fields.ts";
import type { Registry } from "../../registry/registry.ts";
import type { Issue } from "./validate.ts";

type Plugins = Pick<Registry, "get" | "list">;

/** Members that decide what a request does, and where each belongs. */
const deciding = {
  checks: "it belongs beside `config`, or in `options`",
  driver_args: "it belongs beside `config`",
  options: "it belongs beside `config`",
  dry_run: "it belongs in `driver_args`",
  commit_confirm:
    "a commit that must be confirmed is `confirm` or `revert_in` in `driver_args`; see the driver",
  rehearse: "it belongs beside `config`, or in `options`",
  not_before: "it belongs beside `config`, or in `options`",
  devices: "it belongs in the body of POST /device/bulk",
  select: "it belongs in the body of POST /device/bulk",
} as const;
type Deciding = keyof typeof deciding;

const decidingNames = Object.keys(deciding).filter((name): name is Deciding => name in deciding);
/** Those of one device: `device` and others beside them are names of its connection. */
const decidingOfDevice = decidingNames.filter((name) => name !== "devices" && name !== "select");
const maxEdits = 2;
/** Members of a hostile request that are looked at. */
const maxUnknown = 100;

export const requestLevels = {
  execute: Object.keys(executeRequest.entries),
  bulk: Object.keys(bulkRequest.entries),
} as const;
const optionNames = Object.keys(operationOptions.entries);

/** Misspelt and misplaced deciding members beside `config` and in `options`. */
export function misplacedMembers(request: object, level: keyof typeof requestLevels): Issue[] {
  const options = "options" in request && isRecord(request.options) ? request.options : {};
  return [
    ...decidingIssues(request, requestLevels[level], "", decidingNames),
    ...decidingIssues(options, optionNames, "options.", decidingNames),
  ];
}

/** The same in `driver_args`. @param known undefined: the driver takes any */
export function misplacedArgs(args: object, known: readonly string[] | undefined, driver: string): Issue[] {
  if (known === undefined) return [];
  return decidingIssues(args, known, "driver_args.", decidingOfDevice).map((issue) =>
    issue.path === "driver_args.dry_run"
      ? { ...issue, message: `the driver ${driver} has no dry run: it would push` }
      : issue,
  );
}

/** The same in `connection_args`, which the entries of `devices` are laid over. */
export function misplacedInConnection(connection: object, known: readonly string[] | undefined): Issue[] {
  return known === undefined ? [] : decidingIssues(connection, known, "connection_args.", decidingOfDevice);
}

function decidingIssues(
  value: object,
  known: readonly string[],
  prefix: string,
  names: readonly Deciding[],
): Issue[] {
  return unknownIn(value, known).flatMap((name) => {
    const meant = names.find((candidate) => candidate === name) ?? nearest(name, names);
    if (meant === undefined) return [];
    const message =
      meant === name
        ? `is not read here: ${deciding[meant]}`
        : `is not known: \`${meant}\` is probably meant, and would have no effect under this name`;
    return [{ path: `${prefix}${name.slice(0, 64)}`, message }];
  });
}

/** Warnings for members of the request, its options and its templates that are ignored. */
export function unknownMembers(
  request: object,
  level: keyof typeof requestLevels,
  plugins: Plugins,
): string[] {
  const of = (name: string) => {
    const value: unknown = Reflect.get(request, name);
    return isRecord(value) ? value : {};
  };
  const options = of("options");
  const uses = ["parsing", "rendering"].flatMap((name) => [
    { path: `${name}.`, value: of(name) },
    { path: `options.${name}.`, value: isRecord(options[name]) ? options[name] : {} },
  ]);
  return [
    ...ignoredIn(request, requestLevels[level], ""),
    ...ignoredIn(options, optionNames, "options."),
    ...["webhook.", "options.webhook."].flatMap((path) => {
      const value = path === "webhook." ? of("webhook") : options.webhook;
      if (!isRecord(value)) return [];
      const plugin = plugins
        .list("webhook")
        .find(({ name, ...more }) => (isGiven(value.name) ? name === value.name : more.default === true));
      const known = plugin && fieldsOf(plugin.options);
      return known === undefined ? [] : ignoredIn(value, ["name", ...known], path);
    }),
    ...uses.flatMap(({ path, value }) => {
      const engine = plugins.get("template", String(value.name));
      return ignoredIn(value, [...Object.keys(templateUse.entries), ...(engine?.ownFields ?? [])], path);
    }),
  ];
}

/** The same for the body of a template route. */
export function unknownTemplateMembers(
  body: object,
  entries: Readonly<Record<string, unknown>>,
  plugins: Plugins,
): string[] {
  const ofEngines = plugins.list("template").flatMap(({ ownFields = [] }) => ownFields);
  return ignoredIn(body, [...Object.keys(entries), ...Object.keys(templateFields), ...ofEngines], "");
}

export function ignoredIn(value: object, known: readonly string[], prefix: string): string[] {
  return unknownIn(value, known).map(
    (name) => `${prefix}${name.slice(0, 64)} is not known and was ignored${nearHint(name, known)}`,
  );
}

/** The warning for a field that a driver does not know. */
export function ignoredField(driver: DriverPlugin, path: string, known: readonly string[]): string {
  const name = path.slice(path.lastIndexOf(".") + 1);
  return `${path} is not known to the driver ${driver.name} and was ignored${nearHint(name, known)}`;
}

function unknownIn(value: object, known: readonly string[]): string[] {
  return Object.entries(value)
    .filter(([name, member]) => isGiven(member) && !known.includes(name))
    .slice(0, maxUnknown)
    .map(([name]) => name);
}

/** Many jobs of a bulk have the same unknown members. */
const hints = new Map<string, string>();
const maxHints = 500;

function nearHint(name: string, known: readonly string[]): string {
  const key = `${name.slice(0, 64)}\0${known.join()}`;
  const cached = hints.get(key);
  if (cached !== undefined) return cached;
  // The fewest edits first: `templat` is `template`, not a longer name that contains it.
  const near = nearNames(name, known).sort((a, b) => distanceOf(name, a) - distanceOf(name, b))[0];
  const hint = near === undefined ? "" : `; did you mean ${near}?`;
  if (hints.size >= maxHints) hints.clear();
  hints.set(key, hint);
  return hint;
}

function nearest(name: string, names: readonly Deciding[]): Deciding | undefined {
  if (name.length > 64) return undefined;
  const distances = names.map((candidate) => ({ candidate, distance: distanceOf(name, candidate) }));
  return distances
    .filter(({ distance }) => distance <= maxEdits)
    .sort((a, b) => a.distance - b.distance)
    .at(0)?.candidate;
}

/** `dryRun`, `dry-run` and `DRY_RUN` are `dry_run`. */
function distanceOf(name: string, candidate: string): number {
  const letters = (text: string) => text.toLowerCase().replace(/[^a-z0-9]/g, "");
  return edits(letters(name), letters(candidate));
}
