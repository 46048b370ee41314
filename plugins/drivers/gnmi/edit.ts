/** Pushes: the edits of one request, which a device does as a whole or not at all, and what they changed. */
import {
  type Context,
  isRecord,
  orderedEntries,
  PluginError,
  parseExact,
  stringifyExact,
  withDetail,
} from "patchbay/plugin";
import { messageOf } from "../shared/message.ts";
import { unifiedDifference } from "../shared/push/unified-diff.ts";
import { joined, plain, read, shownText, timeText } from "./answers.ts";
import type { ConfigureArgs } from "./args.ts";
import { type Client, prefixOf, protoPath } from "./client.ts";
import { type CommitWord, commitExtension, hasCommits, newHandle } from "./commit.ts";
import { type GnmiPath, pathText, requirePath } from "./paths.ts";
import { GetRequest_DataType, type TypedValue, UpdateResult_Operation } from "./proto/gnmi_pb.ts";
import { type EncodingName, encodings, typedOf } from "./values.ts";

const operations = ["delete", "replace", "update", "union_replace"] as const;
type Operation = (typeof operations)[number];

export interface Edit {
  readonly operation: Operation;
  readonly path: GnmiPath;
  /** Absent for delete. */
  readonly val?: TypedValue;
}

export interface Pushed {
  /** As a unified diff of what was edited. */
  readonly diff?: string;
  /** When the device says that it did it. */
  readonly time?: string;
  readonly results: readonly { readonly operation: string; readonly path: string }[];
  /** Of a push that waits for its confirmation. */
  readonly handle?: string;
  readonly reverts_in?: number;
}

/** Edits of one request. */
const mostEdits = 10_000;

export const refuse = (why: string) => new PluginError("DriverError", why, { outcome: "none" });

/** @throws PluginError DriverError, before anything is sent */
export function editsOf(text: string, args: ConfigureArgs, encoding: EncodingName): readonly Edit[] {
  const source = text.trim();
  const edits = args.operation === undefined ? listed(source, encoding) : single(source, args, encoding);
  if (edits.length === 0 || edits.length > mostEdits)
    throw refuse(`config: must have 1 to ${mostEdits} edits.`);
  return edits;
}

function single(source: string, { operation = "update", path }: ConfigureArgs, encoding: EncodingName) {
  if (operation === "delete")
    return source
      .split(/\r?\n/)
      .filter((line) => line.trim() !== "")
      .map((line): Edit => ({ operation, path: requirePath(line, "config") }));
  if (encoding === "ascii")
    return [{ operation, path: path ?? root, val: typedOf(source, source, encoding) }];
  const data = jsonOf(source);
  // A configuration as a query of the root shows it, if the device splits it by path.
  const parts = isRecord(data) ? orderedEntries(data) : [];
  if (
    path === undefined &&
    operation === "replace" &&
    parts.length > 0 &&
    parts.every(([name]) => isPath(name))
  )
    return [
      { operation: "delete", path: root } satisfies Edit,
      ...parts.map(([name, value]) => editOf("update", name, value, encoding)),
    ];
  return [{ operation, path: path ?? root, val: typedOf(plainOf(data), source, encoding) }];
}

const root: GnmiPath = { origin: "", elem: [] };
const isPath = (name: string) => /^(?:[A-Za-z_][\w.-]*:)?\//.test(name);

/** `{"delete": [path], "update": {path: value}}`; instead of an object of values also a list of `{path, value}`. */
function listed(source: string, encoding: EncodingName): readonly Edit[] {
  const data = jsonOf(source);
  if (!isRecord(data)) throw refuse(`config: must be an object of ${operations.join(", ")}.`);
  return orderedEntries(data).flatMap(([name, given]) => {
    const operation = operations.find((one) => one === name);
    if (operation === undefined)
      throw refuse(
        `config: "${name.slice(0, 60)}" is none of ${operations.join(", ")}. For a value alone set driver_args.operation.`,
      );
    if (operation === "delete") return deleted(given);
    if (Array.isArray(given)) return given.map((one) => editIn(operation, one, encoding));
    if (!isRecord(given)) throw refuse(`config.${name}: must be an object of paths and values.`);
    return orderedEntries(given).map(([path, value]) => editOf(operation, path, value, encoding));
  });
}

function deleted(given: unknown): readonly Edit[] {
  const paths: readonly unknown[] = Array.isArray(given) ? given : [given];
  return paths.map((path) => {
    if (typeof path !== "string") throw refuse("config.delete: must be a list of paths.");
    return { operation: "delete", path: requirePath(path, "config.delete") };
  });
}

function editIn(operation: Operation, given: unknown, encoding: EncodingName): Edit {
  if (!isRecord(given) || typeof given.path !== "string" || !("value" in given))
    throw refuse(`config.${operation}: must have entries with path and value.`);
  return editOf(operation, given.path, given.value, encoding);
}

function editOf(operation: Operation, path: string, value: unknown, encoding: EncodingName): Edit {
  return {
    operation,
    path: requirePath(path, `config.${operation}`),
    val: typedOf(plainOf(value), stringifyExact(value), encoding),
  };
}

/** Numbers as JavaScript has them, and those that it would round as bigint. */
function plainOf(value: unknown): unknown {
  const text = stringifyExact(value);
  if (/^-?\d{16,20}$/.test(text)) return BigInt(text);
  return JSON.parse(text);
}

function jsonOf(source: string): unknown {
  try {
    return parseExact(source);
  } catch (error) {
    throw refuse(`config: is not JSON: ${messageOf(error)}`);
  }
}

export interface Sending {
  readonly edits: readonly Edit[];
  readonly args: ConfigureArgs;
  /** Besides the edits. */
  readonly word?: CommitWord;
}

/** @throws PluginError with `outcome: "none"` if the device says that it did nothing */
export async function send(client: Client, { edits, args, word }: Sending, ctx: Context): Promise<Pushed> {
  const prefix = prefixOf(args.prefix, args.target);
  const of = (operation: Operation) =>
    edits
      .filter((edit) => edit.operation === operation)
      .map(({ path, val }) => ({ path: protoPath(path), ...(val === undefined ? {} : { val }) }));
  const answer = await client
    .set(
      {
        ...(prefix === undefined ? {} : { prefix }),
        delete: of("delete").map(({ path }) => path),
        replace: of("replace"),
        update: of("update"),
        unionReplace: of("union_replace"),
        ...(word === undefined ? {} : { extension: [commitExtension(word)] }),
      },
      { seconds: args.timeout },
      ctx,
    )
    .catch((error: unknown) => {
      throw classified(error);
    });
  const time = timeText(answer.timestamp);
  const results = answer.response.map(({ op, path }) => ({
    operation: (UpdateResult_Operation[op] ?? String(op)).toLowerCase(),
    path: pathText(joined(answer.prefix, path)),
  }));
  for (const { operation, path } of results) ctx.output(`${operation} ${path}\n`);
  return { results, ...(time === "" ? {} : { time }) };
}

/**
 * Statuses with which a device refuses what it has read: as a set is done as a whole or not at all, nothing was changed.
 * The others may come from anywhere on the way.
 */
const refusing: ReadonlySet<unknown> = new Set([3, 5, 6, 7, 9, 10, 11, 12, 16]);

export function classified(error: unknown): unknown {
  if (!(error instanceof PluginError) || error.detail?.outcome !== undefined) return error;
  return withDetail(error, { outcome: refusing.has(error.detail?.grpc_status) ? "none" : "unknown" });
}

/** What is at the path of an edit. */
export interface Snapshot {
  readonly path: GnmiPath;
  /** Empty: there is nothing yet. Undefined: the device does not show it. */
  readonly values: readonly { readonly path: GnmiPath; readonly val: TypedValue }[] | undefined;
  readonly text: string;
}

export async function snapshots(
  client: Client,
  edits: readonly Edit[],
  args: ConfigureArgs,
  ctx: Context,
): Promise<readonly Snapshot[]> {
  const paths = new Map(edits.map(({ path }) => [pathText(path), path]));
  const all: Snapshot[] = [];
  for (const path of paths.values()) all.push(await snapshot(client, path, args, ctx));
  return all;
}

async function snapshot(
  client: Client,
  path: GnmiPath,
  args: ConfigureArgs,
  ctx: Context,
): Promise<Snapshot> {
  const prefix = prefixOf(args.prefix, args.target);
  const { encoding } = args;
  try {
    const { notification } = await client.get(
      {
        ...(prefix === undefined ? {} : { prefix }),
        path: [protoPath(path)],
        type: GetRequest_DataType.CONFIG,
        encoding: encodings[await client.encoding(encoding === "json" ? encoding : undefined, ctx)],
      },
      { seconds: args.timeout },
      ctx,
    );
    const full = { origin: path.origin, elem: [...(args.prefix?.elem ?? []), ...path.elem] };
    const values = notification.flatMap((one) =>
      one.update.flatMap((update) => {
        if (update.val === undefined) return [];
        const found = joined(one.prefix, update.path);
        // Without the prefix of the request, and with a path also where the device leaves it out.
        const elem = found.elem.length < full.elem.length ? full.elem : found.elem;
        return [{ path: { ...path, elem: elem.slice(args.prefix?.elem.length ?? 0) }, val: update.val }];
      }),
    );
    return { path, values, text: shownText(plain(notification.map(read), full)) };
  } catch (error) {
    if (!(error instanceof PluginError) || error.kind !== "CommandError")
      throw withDetail(error, { outcome: "none" });
    return { path, values: error.detail?.grpc_status === notFound ? [] : undefined, text: "" };
  }
}

const notFound = 5;

/** An edit that worked does not fail because it cannot be read afterwards. */
export async function difference(
  client: Client,
  edits: readonly Edit[],
  before: readonly Snapshot[],
  args: ConfigureArgs,
  ctx: Context,
): Promise<{ readonly diff?: string }> {
  if (before.some(({ values }) => values === undefined)) return {};
  try {
    const after = await snapshots(client, edits, args, ctx);
    const diff = after
      .map(({ path, text }, at) => {
        const changes = unifiedDifference(before[at]?.text ?? "", text);
        return changes === "" ? "" : `${pathText(path)}\n${changes}`;
      })
      .filter((part) => part !== "")
      .join("\n");
    if (diff !== "") ctx.difference?.(diff);
    return { diff };
  } catch (error) {
    if (ctx.signal.aborted) throw withDetail(error, { outcome: "unknown" });
    ctx.warn(`The push was accepted, but what it changed could not be read: ${messageOf(error)}`);
    return {};
  }
}

export async function push(client: Client, text: string, args: ConfigureArgs, ctx: Context): Promise<Pushed> {
  const ended = args.confirm ?? args.cancel;
  if (ended !== undefined) {
    if (!["", "{}"].includes(text.replace(/\s+/g, "")))
      throw refuse("config: must be an empty object with confirm or cancel.");
    const action = args.confirm === undefined ? "cancel" : "confirm";
    return send(client, { edits: [], args, word: { action, id: ended } }, ctx);
  }
  const edits = editsOf(text, args, await client.encoding(args.encoding, ctx));
  const { revert_in: seconds } = args;
  if (seconds !== undefined && !(await hasCommits(client, args, ctx)))
    throw refuse("driver_args.revert_in: the device has no commit-confirmed.");
  const handle = seconds === undefined ? undefined : newHandle();
  const before = args.diff === false ? [] : await snapshots(client, edits, args, ctx);
  const word: CommitWord | undefined =
    handle === undefined || seconds === undefined ? undefined : { action: "commit", id: handle, seconds };
  const pushed = await send(client, { edits, args, ...(word === undefined ? {} : { word }) }, ctx);
  return {
    ...(args.diff === false ? {} : await difference(client, edits, before, args, ctx)),
    ...pushed,
    ...(handle === undefined || seconds === undefined ? {} : { handle, reverts_in: seconds }),
  };
}
