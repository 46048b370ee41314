/** Stores a request for a retry without its secrets, whose paths are recorded. */

import { operationOptions } from "../../api/jobs/request.ts";
import { RawJson, withMembers } from "../../base/json/json.ts";
import { jsonWithRaw } from "../../base/json/json-pieces.ts";
import { isRecord } from "../../base/json/members.ts";
import type { RawMembers } from "../../base/json/raw-members.ts";
import { someMember } from "../../base/json/walk.ts";
import { hasSecretQuery, maskUrls } from "../../base/net/url.ts";
import type { Masker } from "../../base/secrets/mask.ts";
import { isSecretName } from "../../base/secrets/secret-name.ts";
import type { Operation, OperationRequest } from "../request/operation.ts";
import { settleOptions } from "../request/options.ts";
import type { TemplateMembers } from "../request/template-members.ts";

export type Path = readonly (string | number)[];

/** The path of a secret in a request, and the secret. */
export interface Removed {
  readonly path: Path;
  readonly value: unknown;
}

export interface Stripped {
  /** JSON of the request with secrets replaced by null, and of their paths. */
  readonly text: string;
  readonly removed: readonly Removed[];
}

/** Longer requests are not kept: they could fill the disk within a day. */
const longest = 1024 * 1024;
const maxPlaces = 1_000;

/** Finds the secrets of a request. */
export interface SecretFinder {
  /** Texts that are secrets, regardless of field names. */
  readonly secrets: readonly string[];
  readonly masker: Masker;
}

export interface AskedRequest {
  /** Without a driver if the devices of a bulk have their own. */
  readonly request: Omit<OperationRequest, "driver"> & { readonly driver?: string | null | undefined };
  readonly connection: Readonly<Record<string, unknown>>;
  /** Raw member texts of the body, and the path of `config`. */
  readonly raw: RawMembers;
  readonly configPath: Path;
  /** Members the inventory added to the template context. */
  readonly members?: TemplateMembers;
}

/** Options that the job record has anyway, or that no longer apply. */
const toldElsewhere = new Set(["label", "ticket", "note", "tags", "not_before", "execution_timeout"]);
const knownOptions = Object.keys(operationOptions.entries).filter((name) => !toldElsewhere.has(name));

/** @param operation determines which fields are known. @returns undefined if it is too long */
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

/** The own part of a device of a bulk. */
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

/** Keeps the raw text of a template context, in which 2.0 differs from 2. */
function contextOf({ config }: { readonly config?: unknown }, raw: RawMembers, configPath: Path) {
  const isContext = typeof config === "object" && config !== null && !Array.isArray(config);
  return isContext ? raw(configPath) : undefined;
}

function knownConnection(
  connection: Readonly<Record<string, unknown>>,
  knownFields: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  return only(connection, [...Object.keys(knownFields), "host", "hostname", "credential"]);
}

function only(fields: Readonly<Record<string, unknown>>, names: readonly string[]): Record<string, unknown> {
  const allowed = new Set(names);
  return Object.fromEntries(
    Object.entries(fields).filter(
      ([name, value]) => allowed.has(name) && value !== undefined && value !== null,
    ),
  );
}

function strip(
  request: Readonly<Record<string, unknown>>,
  context: string | undefined,
  finder: SecretFinder,
  members?: TemplateMembers,
): Stripped | undefined {
  // Checked first, because searching a long text for secrets is slow.
  if (context !== undefined && context.length > longest) return undefined;
  const removed: Removed[] = [];
  const secrets = new Set(finder.secrets);
  const clean = withoutSecrets(
    request,
    [],
    (text, path) => holdsSecret(text, path, secrets, finder),
    removed,
  );
  if (removed.length > maxPlaces) return undefined;
  const inContext = removed.flatMap(({ path }) =>
    path[0] === "config" ? [{ path: path.slice(1), json: "null" }] : [],
  );
  const config = context === undefined ? {} : { config: new RawJson(withMembers(context, inContext)) };
  const places = removed.map(({ path }) => path);
  const text = jsonWithRaw({
    missing: places,
    ...(members ? { members } : {}),
    request: new RawJson(jsonWithRaw({ ...clean, ...config })),
  });
  return text.length > longest ? undefined : { text, removed };
}

/** @param path is that of the value while it is visited, and changes then. */
type IsSecret = (text: string, path: Path) => boolean;

function withoutSecrets(
  value: Readonly<Record<string, unknown>>,
  path: (string | number)[],
  isSecret: IsSecret,
  into: Removed[],
): Record<string, unknown> {
  const unseen = value.hidden === true ? (value.reply === undefined ? "send" : "reply") : undefined;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => {
      path.push(name);
      const isHidden = name === unseen || (isSecretName(name) && holdsText(member));
      const clean = isHidden ? remove(path, member, into) : cleanValue(member, path, isSecret, into);
      path.pop();
      return [name, clean];
    }),
  );
}

function cleanValue(value: unknown, path: (string | number)[], isSecret: IsSecret, into: Removed[]): unknown {
  if (typeof value === "string") return isSecret(value, path) ? remove(path, value, into) : value;
  if (Array.isArray(value))
    return value.map((item: unknown, at) => {
      path.push(at);
      const clean = cleanValue(item, path, isSecret, into);
      path.pop();
      return clean;
    });
  return isRecord(value) ? withoutSecrets(value, path, isSecret, into) : value;
}

function remove(path: Path, value: unknown, into: Removed[]): null {
  into.push({ path: [...path], value });
  return null;
}

/** Never treated as secrets: the record shows them anyway. */
const shownPaths = new Set(["driver", "connection_args.host", "connection_args.hostname"]);
const shownFields = /^connection_args\.(device_type|platform|username)$/;

function holdsSecret(
  text: string,
  path: Path,
  secrets: ReadonlySet<string>,
  { masker }: SecretFinder,
): boolean {
  if (text === "") return false;
  const place = path.join(".");
  if (shownPaths.has(place) || shownFields.test(place)) return false;
  const isField = path[0] === "connection_args" || path[0] === "driver_args" || path[1] === "webhook";
  return (
    (isField && secrets.has(text)) ||
    masker.text(text) !== text ||
    maskUrls(text) !== text ||
    isHeader(path) ||
    (path[1] === "webhook" && hasSecretQuery(text))
  );
}

/** Any header may hold a token. */
function isHeader(path: Path): boolean {
  return path[1] === "webhook" && path.slice(2, -1).some((step) => /headers?$|^auth/i.test(String(step)));
}

function holdsText(value: unknown): boolean {
  if (typeof value === "string") return true;
  return typeof value === "object" && value !== null && someMember(value, holdsText);
}
