/** Pushes: edits of resources and calls of operations, what they changed, and how a push is taken back. */
import {
  type Change,
  type Context,
  isRecord,
  PluginError,
  parseExact,
  parseXml,
  withDetail,
} from "patchbay/plugin";
import { messageOf } from "../shared/message.ts";
import { requireAsBefore } from "../shared/push/rollback.ts";
import { unifiedDifference } from "../shared/push/unified-diff.ts";
import type { ConfigureArgs } from "./args.ts";
import { type Answered, type Client, dataOf, type Encoding, etagOf, mediaType, type Sent } from "./client.ts";
import { isOperation } from "./resources.ts";

/** Resources that one push may remove. */
const mostDeleted = 100;

/** One request of a push. */
interface Edit extends Pick<Sent, "method" | "path" | "body" | "query" | "headers"> {
  readonly accept: Encoding;
}

interface Pushed {
  /** As a unified diff of the resources. */
  readonly diff?: string;
  readonly status: number;
  /** Path of what was created. */
  readonly location?: string;
  readonly etag?: string;
  /** What an operation returned. */
  readonly output?: unknown;
}

const refuse = (why: string) => new PluginError("DriverError", why, { outcome: "none" });

/** @throws PluginError DriverError, before anything is sent */
function editsOf(text: string, args: ConfigureArgs, client: Client): readonly Edit[] {
  const { method, path = "data", if_match, insert, point } = args;
  const source = text.trim();
  const condition: Readonly<Record<string, string>> = if_match === undefined ? {} : { "If-Match": if_match };
  if (method === "delete") {
    const paths = source.split(/\r?\n/).filter((line) => line.trim() !== "");
    if (paths.length === 0 || paths.length > mostDeleted)
      throw refuse(`config: must have 1 to ${mostDeleted} paths, one in a line.`);
    if (if_match !== undefined && paths.length > 1)
      throw refuse("driver_args.if_match: is of one resource, and config has several.");
    return paths.map((line) => {
      const target = client.pathOf(line.trim());
      if (isOperation(target) || /^(?:data|ds\/[^/]*)$/.test(target))
        throw refuse(`config: "${line.trim().slice(0, 100)}" cannot be deleted: name what is below it.`);
      return { method: "DELETE", path: target, headers: condition, accept: "json" };
    });
  }
  const target = client.pathOf(path);
  if (!/^(?:data|ds|operations)(?:\/|$)/.test(target) || target === "operations")
    throw refuse(`driver_args.path: "${path.slice(0, 100)}" is nothing that can be edited.`);
  const chosen = method ?? (isOperation(target) ? "post" : "patch");
  if (isOperation(target) && chosen !== "post")
    throw refuse("driver_args.method: an operation is called with post.");
  const { encoding, what, isEmpty } = contentOf(source);
  if (what === "yang-patch" && chosen !== "patch")
    throw refuse("driver_args.method: a YANG Patch needs patch.");
  const query = { insert, point };
  return [
    {
      method: chosen === "patch" ? "PATCH" : chosen === "put" ? "PUT" : "POST",
      path: target,
      accept: encoding,
      query,
      // An operation without input has no body.
      ...(isEmpty && isOperation(target)
        ? { headers: condition }
        : { body: source, headers: { ...condition, "Content-Type": mediaType(encoding, what) } }),
    },
  ];
}

function contentOf(source: string) {
  try {
    if (source.startsWith("<")) {
      const { name } = parseXml(source);
      return { encoding: "xml", what: name === "yang-patch" ? name : "yang-data", isEmpty: false } as const;
    }
    const value = parseExact(source);
    if (!isRecord(value)) throw refuse("config: must be an object by YANG names, or XML.");
    const names = Object.keys(value);
    const isPatch = names.length === 1 && names[0] === "ietf-yang-patch:yang-patch";
    return {
      encoding: "json",
      what: isPatch ? "yang-patch" : "yang-data",
      isEmpty: names.length === 0,
    } as const;
  } catch (error) {
    if (error instanceof PluginError && error.detail?.outcome === "none") throw error;
    throw refuse(`config: can be read neither as JSON nor as XML: ${messageOf(error)}`);
  }
}

export async function push(text: string, args: ConfigureArgs, client: Client, ctx: Context): Promise<Pushed> {
  const edits = editsOf(text, args, client);
  const watched = args.diff === false ? [] : edits.filter(({ path }) => !isOperation(path));
  const before = await snapshots(watched, args, client, ctx);
  const answer = await sendAll(edits, args, client, ctx);
  return { ...(await difference(watched, before, args, client, ctx)), ...shownOf(edits, answer, client) };
}

/** A push whose resources are put back as they were. */
export async function change(
  text: string,
  args: ConfigureArgs,
  client: Client,
  ctx: Context,
): Promise<Change> {
  const edits = editsOf(text, args, client);
  if (edits.some(({ path }) => isOperation(path)))
    throw refuse("An operation cannot be undone: push it without checks and outside of a change.");
  const before = await snapshots(edits, args, client, ctx);
  if (before.some(({ text }) => text === null))
    throw refuse("The server does not show what would be edited, so it could not be put back.");
  const answer = await sendAll(edits, args, client, ctx);
  const shown = shownOf(edits, answer, client);
  const output = { ...(await difference(edits, before, args, client, ctx)), ...shown };
  const { location } = shown;
  const created = edits[0]?.method === "POST" && location !== undefined ? location : undefined;
  /** What an undo puts back: of a resource that was created, that it was not there. */
  const goals: readonly Snapshot[] =
    created === undefined ? before : [{ path: created, accept: edits[0]?.accept ?? "json", text: undefined }];
  const pushed = await snapshots(goals, args, client, ctx).catch((error: unknown) => {
    ctx.warn(`What the push has left could not be read: ${messageOf(error)}`);
    return undefined;
  });
  return {
    output,
    how: "replace",
    confirm: async () => {},
    async undo(ctx) {
      for (const [at, goal] of [...goals.entries()].toReversed())
        await putBack(goal, pushed?.[at], args, client, ctx);
      const after = await snapshots(goals, args, client, ctx);
      const whole = (list: readonly Snapshot[]) => list.map(({ text }) => text ?? "").join("\n");
      requireAsBefore(whole(after), { configuration: whole(goals) });
    },
  };
}

/**
 * Puts a resource back if it is still what the push has left: what others have changed since is not overwritten.
 * @throws PluginError CommandError
 */
async function putBack(
  goal: Snapshot,
  pushed: Snapshot | undefined,
  args: ConfigureArgs,
  client: Client,
  ctx: Context,
): Promise<void> {
  const { path, text, accept } = goal;
  if (text === null) return;
  const isOurs = async () => {
    const [now] = await snapshots([goal], args, client, ctx);
    // Nothing is known of what the push has left.
    if (pushed === undefined || pushed.text === null || now === undefined || now.text === null) return now;
    if (now.text !== text && now.text !== pushed.text) throw changedByOthers(path, pushed.text, now.text);
    return now;
  };
  const now = await isOurs();
  if (now?.text === text) return;
  const put = (headers: Readonly<Record<string, string>>) =>
    text === undefined
      ? remove(path, headers, args, client, ctx)
      : client.send(
          {
            ...{ method: "PUT", path, accept, body: text, seconds: args.timeout },
            headers: { "Content-Type": mediaType(accept), ...headers },
          },
          ctx,
        );
  try {
    await put(now?.etag === undefined ? {} : { "If-Match": now.etag });
  } catch (error) {
    if (!(error instanceof PluginError) || error.detail?.status !== 412) throw error;
    // Somebody was faster; or the tag is that of another form of the resource, and it is as it was.
    await isOurs();
    await put({});
  }
}

function changedByOthers(path: string, pushed: string | undefined, now: string | undefined): PluginError {
  return new PluginError(
    "CommandError",
    `Somebody else has changed ${path} since the push: it was not put back, so that their change is not lost. Look at it, and put back what is to go by hand.`,
    { outcome: "unknown", output: unifiedDifference(pushed ?? "", now ?? "").slice(0, 2_000) },
  );
}

/** What is gone already needs no removal. */
async function remove(
  path: string,
  headers: Readonly<Record<string, string>>,
  args: ConfigureArgs,
  client: Client,
  ctx: Context,
): Promise<void> {
  const sent = { method: "DELETE", path, accept: "json", headers, seconds: args.timeout } as const;
  await client.send(sent, ctx).catch((error: unknown) => {
    if (!isAbsent(error)) throw error;
  });
}

interface Snapshot extends Pick<Edit, "path" | "accept"> {
  /** Undefined: there is none yet. Null: the server does not show it. */
  readonly text: string | undefined | null;
  readonly etag?: string | undefined;
}

/** The configuration of the edited resources, as text. */
async function snapshots(
  edits: readonly Pick<Edit, "path" | "accept">[],
  { timeout: seconds }: ConfigureArgs,
  client: Client,
  ctx: Context,
): Promise<readonly Snapshot[]> {
  const all: Snapshot[] = [];
  for (const { path, accept } of edits) {
    const sent = { method: "GET", path, accept, query: { content: "config" }, seconds } as const;
    try {
      const answer = await client.send(sent, ctx);
      all.push({ path, accept, text: textOf(dataOf(answer, accept, `GET ${path}`)), etag: etagOf(answer) });
    } catch (error) {
      if (!(error instanceof PluginError) || error.kind !== "CommandError")
        throw withDetail(error, { outcome: "none" });
      all.push({ path, accept, text: isAbsent(error) ? undefined : null });
    }
  }
  return all;
}

const isAbsent = (error: unknown) => error instanceof PluginError && error.detail?.status === 404;

export const textOf = (data: unknown): string =>
  typeof data === "string" ? data : data === null ? "" : JSON.stringify(data, undefined, 2);

async function sendAll(
  edits: readonly Edit[],
  { timeout: seconds }: ConfigureArgs,
  client: Client,
  ctx: Context,
): Promise<Answered> {
  let answer: Answered | undefined;
  for (const [at, edit] of edits.entries())
    try {
      answer = await client.send({ ...edit, seconds }, ctx);
      ctx.output(`${edit.method} ${client.root}/${edit.path}: ${answer.status}\n`);
    } catch (error) {
      if (at === 0) throw error;
      const done = edits.slice(0, at).map(({ method, path }) => `${method} ${client.root}/${path}`);
      throw withDetail(error, { outcome: "unknown", sent: done });
    }
  return answer ?? { status: 204, headers: {}, body: "" };
}

/** An edit that worked does not fail because it cannot be read afterwards. */
async function difference(
  edits: readonly Edit[],
  before: readonly Snapshot[],
  args: ConfigureArgs,
  client: Client,
  ctx: Context,
): Promise<{ readonly diff?: string }> {
  if (edits.length === 0 || before.some(({ text }) => text === null)) return {};
  try {
    const after = await snapshots(edits, args, client, ctx);
    const diff = after
      .map(({ text }, at) => unifiedDifference(before[at]?.text ?? "", text ?? ""))
      .filter((part) => part !== "")
      .join("\n");
    if (diff !== "") ctx.difference?.(diff);
    return { diff };
  } catch (error) {
    if (ctx.signal.aborted) throw error;
    ctx.warn(`The push was accepted, but what it changed could not be read: ${messageOf(error)}`);
    return {};
  }
}

function shownOf(edits: readonly Edit[], answer: Answered, client: Client): Omit<Pushed, "diff"> {
  const [edit] = edits;
  const location = locationOf(answer, client);
  const etag = etagOf(answer);
  const output =
    edit === undefined || answer.body.trim() === "" ? null : dataOf(answer, edit.accept, edit.method);
  return {
    status: answer.status,
    ...(location === undefined ? {} : { location }),
    ...(etag === undefined ? {} : { etag }),
    ...(output === null ? {} : { output }),
  };
}

/** A resource below the data of this server; any other is left out, as an undo would remove it. */
function locationOf({ headers: { location } }: Answered, { root }: Client): string | undefined {
  if (location === undefined || !URL.canParse(location, "http://device")) return undefined;
  const { pathname } = new URL(location, "http://device");
  const data = `${root}/data/`;
  return pathname.startsWith(data) && pathname.length > data.length
    ? pathname.slice(root.length + 1)
    : undefined;
}
