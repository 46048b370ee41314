/** What is kept of a request for a retry: all of it but its secrets, whose places are written down. */
import { RawJson, withMembers } from "../base/json.ts";
import { jsonWithRaw } from "../base/json-pieces.ts";
import { isSecretName, type Masker } from "../base/mask.ts";
import { isRecord } from "../base/members.ts";
import type { RawMembers } from "../base/raw-members.ts";
import { hasSecretQuery, maskUrls } from "../base/url.ts";
import { operationOptions } from "../model/request.ts";
import type { Operation, OperationRequest } from "./operation.ts";
import { settleOptions } from "./options.ts";
import type { TemplateMembers } from "./template-members.ts";

export type Path = readonly (string | number)[];

/** A place of a request that held a secret, and the secret. */
export interface Removed {
  readonly path: Path;
  readonly value: unknown;
}

export interface Stripped {
  /** JSON text of the request, with null in the places of its secrets, and of these places. */
  readonly text: string;
  readonly removed: readonly Removed[];
}

/** A longer one is not kept: a day of them would fill the disk. */
const longest = 1024 * 1024;
const mostPlaces = 1_000;

/** Who finds the secrets of a request. */
export interface SecretFinder {
  /** Texts that are secrets, whatever they are called. */
  readonly secrets: readonly string[];
  readonly masker: Masker;
}

export interface AskedRequest {
  /** Of a bulk whose devices have drivers of their own it has none. */
  readonly request: Omit<OperationRequest, "driver"> & { readonly driver?: string | null | undefined };
  readonly connection: Readonly<Record<string, unknown>>;
  /** Texts of the body's members and the way to `config`. */
  readonly raw: RawMembers;
  readonly configPath: Path;
  /** What the inventory added to the context of a template. */
  readonly members?: TemplateMembers | undefined;
}

/** Options that the job's record tells, or that were over when it began. */
const toldElsewhere = new Set(["label", "ticket", "note", "tags", "not_before", "execution_timeout"]);
const knownOptions = Object.keys(operationOptions.entries).filter((name) => !toldElsewhere.has(name));

/** @param operation what the request was taken for: it says which of its fields are known. @returns undefined where it is too long */
export function strippedRequest(
  { request, connection, raw, configPath, members }: AskedRequest,
  { payload }: { readonly payload: Pick<Operation["payload"], "connection" | "driverArgs"> },
  finder: SecretFinder,
): Stripped | undefined {
  const { options } = settleOptions(request);
  const { driver_args: args } = request;
  return strip(
    {
      ...(request.driver ? { driver: request.driver } : {}),
      connection_args: knownConnection(connection, payload.connection),
      ...workOf(request),
      ...(args ? { driver_args: only(args, Object.keys(payload.driverArgs)) } : {}),
      options: only(options, knownOptions),
    },
    contextOf(request, raw, configPath),
    finder,
    members,
  );
}

/** What a device of a bulk has for itself. */
export function strippedEntry(
  entry: Readonly<Record<string, unknown>>,
  { payload }: Pick<Operation, "payload">,
  raw: RawMembers,
  configPath: Path,
  finder: SecretFinder,
  members?: TemplateMembers,
): Stripped | undefined {
  const { command, config, ...connection } = entry;
  const work = workOf(entry);
  return strip(
    { connection_args: knownConnection(connection, payload.connection), ...work },
    contextOf({ config }, raw, configPath),
    finder,
    members,
  );
}

function workOf({ command, config }: { readonly command?: unknown; readonly config?: unknown }) {
  if (command !== undefined && command !== null) return { command };
  return config === undefined || config === null ? {} : { config };
}

/** The context of a template is kept as the text that it came as: 2.0 is not 2 there. */
function contextOf({ config }: { readonly config?: unknown }, raw: RawMembers, configPath: Path) {
  const isContext = typeof config === "object" && config !== null && !Array.isArray(config);
  return isContext ? raw(configPath) : undefined;
}

function knownConnection(
  connection: Readonly<Record<string, unknown>>,
  known: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  return only(connection, [...Object.keys(known), "host", "hostname", "credential"]);
}

function only(fields: Readonly<Record<string, unknown>>, names: readonly string[]): Record<string, unknown> {
  const known = new Set(names);
  return Object.fromEntries(
    Object.entries(fields).filter(
      ([name, value]) => known.has(name) && value !== undefined && value !== null,
    ),
  );
}

function strip(
  request: Readonly<Record<string, unknown>>,
  context: string | undefined,
  finder: SecretFinder,
  members?: TemplateMembers,
): Stripped | undefined {
  // The places of secrets take little of it; looking for them takes time where it is long.
  if (context !== undefined && context.length > longest) return undefined;
  const found: Removed[] = [];
  const secrets = new Set(finder.secrets);
  const clean = withoutSecrets(request, [], (text, path) => holdsSecret(text, path, secrets, finder), found);
  if (found.length > mostPlaces) return undefined;
  const inContext = found.flatMap(({ path }) =>
    path[0] === "config" ? [{ path: path.slice(1), json: "null" }] : [],
  );
  const config = context === undefined ? {} : { config: new RawJson(withMembers(context, inContext)) };
  const places = found.map(({ path }) => path);
  const text = jsonWithRaw({
    missing: places,
    ...(members ? { members } : {}),
    request: new RawJson(jsonWithRaw({ ...clean, ...config })),
  });
  return text.length > longest ? undefined : { text, removed: found };
}

type IsSecret = (text: string, path: Path) => boolean;

function withoutSecrets(
  value: Readonly<Record<string, unknown>>,
  path: Path,
  isSecret: IsSecret,
  into: Removed[],
): Record<string, unknown> {
  const unseen = value.hidden === true ? (value.reply === undefined ? "send" : "reply") : undefined;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => {
      const at = [...path, name];
      if (name === unseen || (isSecretName(name) && holdsText(member)))
        return [name, remove(at, member, into)];
      return [name, cleanValue(member, at, isSecret, into)];
    }),
  );
}

function cleanValue(value: unknown, path: Path, isSecret: IsSecret, into: Removed[]): unknown {
  if (typeof value === "string") return isSecret(value, path) ? remove(path, value, into) : value;
  if (Array.isArray(value))
    return value.map((item: unknown, at) => cleanValue(item, [...path, at], isSecret, into));
  return isRecord(value) ? withoutSecrets(value, path, isSecret, into) : value;
}

function remove(path: Path, value: unknown, into: Removed[]): null {
  into.push({ path, value });
  return null;
}

/** These are told in the record whatever else they are equal to. */
const shown = new Set(["driver", "connection_args.host", "connection_args.hostname"]);
const shownFields = /^connection_args\.(device_type|platform|username)$/;

function holdsSecret(
  text: string,
  path: Path,
  secrets: ReadonlySet<string>,
  { masker }: SecretFinder,
): boolean {
  const place = path.join(".");
  if (shown.has(place) || shownFields.test(place)) return false;
  const isField = path[0] === "connection_args" || path[0] === "driver_args" || path[1] === "webhook";
  return (
    (isField && secrets.has(text)) ||
    masker.text(text) !== text ||
    maskUrls(text) !== text ||
    isHeader(path) ||
    (path[1] === "webhook" && hasSecretQuery(text))
  );
}

/** A header may be a token whatever it is called. */
function isHeader(path: Path): boolean {
  return path[1] === "webhook" && path.slice(2, -1).some((step) => /headers?$|^auth/i.test(String(step)));
}

function holdsText(value: unknown): boolean {
  if (typeof value === "string") return true;
  return typeof value === "object" && value !== null && Object.values(value).some(holdsText);
}
