/**
 * A simulated gNMI device, written from the protocol's description: capabilities, get, set as a whole or not at all with
 * commit-confirmed, and subscriptions. Strict about paths, types and encodings.
 */
import {
  createSecureServer,
  createServer,
  type IncomingHttpHeaders,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from "node:http2";
import {
  CapabilityResponseSchema,
  type Extension,
  GetRequest_DataType,
  GetRequestSchema,
  GetResponseSchema,
  SetRequestSchema,
  SetResponseSchema,
  SubscribeResponseSchema,
  UpdateResult_Operation,
} from "../../../../../plugins/drivers/gnmi/proto/gnmi_pb.ts";
import { messageOf } from "../../../../base/errors.ts";
import { createMessages } from "../../../../device/grpc/messages.ts";
import { listenOn } from "../../listener.ts";
import {
  bytesOf,
  encodings,
  framed,
  jsonIn,
  notify,
  now,
  parsed,
  pathOf,
  requireEncoding,
  requireKnown,
  stepsOf,
  textOf,
  updatesOf,
} from "./messages.ts";
import { serveSubscription, snapshotOf } from "./subscription.ts";
import {
  edit,
  find,
  initialTree,
  leavesOf,
  models,
  Refusal,
  type Tree,
  type Wanted,
  withState,
} from "./tree.ts";

export interface GnmiDeviceOptions {
  readonly host?: string;
  readonly port?: number;
  readonly username?: string;
  readonly password?: string;
  readonly hostname?: string;
  /** PEM texts; without them it speaks in clear. With `ca`, a client certificate of it is required. */
  readonly tls?: { readonly cert: string; readonly key: string; readonly ca?: string };
  /** False: it ignores the extension commit-confirmed, as many devices do. */
  readonly commits?: boolean;
}

export interface GnmiDevice {
  readonly port: number;
  /** Calls in order, such as `Get`. */
  readonly calls: string[];
  /** Leaves that were set, such as `/system/config/hostname=R2`. */
  readonly taken: string[];
  running(): Tree;
  /** Id of the commit that waits for its confirmation. */
  pending(): string | undefined;
  stop(): Promise<void>;
}

const mostMessage = 4 * 1024 * 1024;
const defaultRollbackS = 600;

interface Waiting {
  readonly id: string;
  readonly before: Tree;
  readonly timer: ReturnType<typeof setTimeout>;
}

export async function startGnmiDevice(options: GnmiDeviceOptions = {}): Promise<GnmiDevice> {
  const { username = "admin", password = "admin", hostname = "R1", tls, commits = true } = options;
  const startedAt = performance.now();
  let running = initialTree(hostname);
  let waiting: Waiting | undefined;
  const calls: string[] = [];
  const taken: string[] = [];
  const onChange = new Set<() => void>();
  const sessions = new Set<ServerHttp2Session>();
  const seen = () => withState(running, Math.round(performance.now() - startedAt));

  function capabilities(): Uint8Array {
    return bytesOf(CapabilityResponseSchema, {
      supportedModels: models.map((model) => ({ ...model, $typeName: "gnmi.ModelData" as const })),
      supportedEncodings: encodings,
      gnmiVersion: "0.10.0",
    });
  }

  function get(message: Uint8Array): Uint8Array {
    const { prefix, path, type, encoding, extension } = parsed(GetRequestSchema, message);
    requireKnown(extension);
    requireEncoding(encoding);
    const wanted: Wanted =
      type === GetRequest_DataType.ALL ? "all" : type === GetRequest_DataType.CONFIG ? "config" : "state";
    const notification = path.map((one) => {
      const asked = [...stepsOf(prefix), ...stepsOf(one)];
      const updates = find(seen(), asked).flatMap((found) => updatesOf(found, encoding, wanted, asked));
      if (updates.length === 0 && asked.length > 0) throw new Refusal(5, "there is no such data");
      return notify(updates);
    });
    return bytesOf(GetResponseSchema, { notification });
  }

  function set(message: Uint8Array): Uint8Array {
    const request = parsed(SetRequestSchema, message);
    const { prefix, extension, unionReplace } = request;
    if (commits) requireKnown(extension);
    const edits = [
      ...request.delete.map((path) => ({ op: UpdateResult_Operation.DELETE, path, val: undefined })),
      ...request.replace.map((update) => ({ op: UpdateResult_Operation.REPLACE, ...update })),
      ...request.update.map((update) => ({ op: UpdateResult_Operation.UPDATE, ...update })),
    ];
    if (unionReplace.length > 0) throw new Refusal(12, "union_replace is not implemented");
    const commit = commits
      ? extension.flatMap(({ ext }) => (ext.case === "commit" ? [ext.value] : []))[0]
      : undefined;
    const before = running;
    if (commit === undefined && waiting !== undefined)
      throw new Refusal(9, "a commit waits for its confirmation");
    if (commit !== undefined && commit.action.case !== "commit") {
      if (edits.length > 0) throw new Refusal(3, "nothing can be edited with that");
      finish(commit.id, commit.action);
    } else if (commit !== undefined && waiting !== undefined)
      throw new Refusal(9, "another commit waits for its confirmation");
    const next = structuredClone(running);
    const took: string[] = [];
    for (const { op, path, val } of edits) {
      const steps = [...stepsOf(prefix), ...stepsOf(path)];
      if (op === UpdateResult_Operation.DELETE) {
        for (const found of find(next, steps)) edit(next, { path: found.path, isReplaced: false });
        if (steps.length === 0) edit(next, { path: [], isReplaced: true });
        continue;
      }
      edit(next, { path: steps, json: jsonIn(val), isReplaced: op === UpdateResult_Operation.REPLACE });
      took.push(
        ...find(next, steps)
          .flatMap(leavesOf)
          .map(({ path, value }) => `${textOf(path)}=${value}`),
      );
    }
    if (edits.length > 0) running = next;
    taken.push(...took);
    if (commit?.action.case === "commit") wait(commit.id, before, secondsOf(commit.action.value));
    if (edits.length > 0) for (const tell of onChange) tell();
    return bytesOf(SetResponseSchema, {
      timestamp: now(),
      response: edits.map(({ op, path }) => ({
        $typeName: "gnmi.UpdateResult" as const,
        op,
        path: pathOf([...stepsOf(prefix), ...stepsOf(path)]),
      })),
    });
  }

  function wait(id: string, before: Tree, seconds: number): void {
    if (id === "") throw new Refusal(3, "the commit has no id");
    waiting = { id, before, timer: setTimeout(back, seconds * 1000) };
  }

  function back(): void {
    if (waiting === undefined) return;
    clearTimeout(waiting.timer);
    running = waiting.before;
    waiting = undefined;
    for (const tell of onChange) tell();
  }

  function finish(id: string, action: CommitAction): void {
    if (waiting === undefined) throw new Refusal(9, "no commit waits for a confirmation");
    if (waiting.id !== id) throw new Refusal(3, "another commit waits for a confirmation");
    const { before, timer } = waiting;
    clearTimeout(timer);
    if (action.case === "cancel") back();
    else if (action.case === "setRollbackDuration") wait(id, before, secondsOf(action.value));
    else waiting = undefined;
  }

  function subscribe(stream: ServerHttp2Stream, messages: AsyncIterable<Uint8Array>): Promise<void> {
    const send = (message: Parameters<typeof bytesOf<typeof SubscribeResponseSchema>>[1]) =>
      void stream.write(framed(bytesOf(SubscribeResponseSchema, message)));
    const sync = () => send({ response: { case: "syncResponse", value: true } });
    return serveSubscription({
      messages,
      closed: new Promise((resolve) => stream.once("close", resolve)),
      sync,
      snapshot: (list, previous, isQuiet = false) =>
        snapshotOf(list, seen(), previous, isQuiet ? () => {} : send),
      watch(tell) {
        onChange.add(tell);
        return () => onChange.delete(tell);
      },
    });
  }

  async function serve(stream: ServerHttp2Stream, headers: IncomingHttpHeaders): Promise<void> {
    const name = String(headers[":path"]).replace(/^\/gnmi\.gNMI\//, "");
    calls.push(name);
    const messages = messagesOf(stream);
    try {
      if (headers.username !== username || headers.password !== password)
        throw new Refusal(16, "the login is not valid");
      const unary = { Capabilities: capabilities, Get: get, Set: set }[name];
      if (unary === undefined && name !== "Subscribe") throw new Refusal(12, "there is no such call");
      const head = { ":status": 200, "content-type": "application/grpc" };
      if (unary === undefined) {
        stream.respond(head, { waitForTrailers: true });
        let fault: unknown;
        stream.once("wantTrailers", () => stream.sendTrailers(trailersOf(fault)));
        await subscribe(stream, messages).catch((error: unknown) => {
          fault = error;
        });
        stream.end();
        return;
      }
      let request: Uint8Array | undefined;
      for await (const message of messages) request ??= message;
      if (request === undefined) throw new Refusal(3, "there is no message");
      const answer = framed(unary(request));
      stream.respond(head, { waitForTrailers: true });
      stream.once("wantTrailers", () => stream.sendTrailers({ "grpc-status": "0" }));
      stream.end(answer);
    } catch (error) {
      stream.respond(
        { ":status": 200, "content-type": "application/grpc", ...trailersOf(error) },
        { endStream: true },
      );
    }
  }

  const server =
    tls === undefined
      ? createServer()
      : createSecureServer({
          ...{ cert: tls.cert, key: tls.key },
          ...(tls.ca === undefined ? {} : { ca: tls.ca, requestCert: true, rejectUnauthorized: true }),
        });
  server.on("session", (session) => {
    sessions.add(session);
    session.on("close", () => sessions.delete(session));
    session.on("error", () => {});
  });
  server.on("sessionError", () => {});
  server.on("stream", (stream, headers) => {
    stream.on("error", () => {});
    void serve(stream, headers).catch(() => stream.destroy());
  });
  const { host = "127.0.0.1", port = 0 } = options;
  const listening = await listenOn(server, { host, port }, () => {
    for (const session of sessions) session.destroy();
  });
  return {
    port: listening.port,
    calls,
    taken,
    running: () => running,
    pending: () => waiting?.id,
    async stop() {
      clearTimeout(waiting?.timer);
      await listening.stop();
    },
  };
}

type Commit = Extract<Extension["ext"], { case: "commit" }>["value"];
type CommitAction = Commit["action"];

function secondsOf({
  rollbackDuration,
}: {
  readonly rollbackDuration?: { readonly seconds: bigint } | undefined;
}) {
  const seconds = Number(rollbackDuration?.seconds ?? BigInt(defaultRollbackS));
  if (seconds <= 0) throw new Refusal(3, "the time must be more than 0");
  return seconds;
}

function trailersOf(error: unknown): Record<string, string> {
  if (error === undefined) return { "grpc-status": "0" };
  const [code, words] = error instanceof Refusal ? [error.code, error.message] : [13, messageOf(error)];
  return { "grpc-status": String(code), "grpc-message": encodeURIComponent(words) };
}

function messagesOf(stream: ServerHttp2Stream): AsyncIterable<Uint8Array> {
  const messages = createMessages({
    ...{ host: "the client", maxMessageBytes: mostMessage, maxBytes: mostMessage },
    hold: () => () => {},
  });
  stream.on("data", (chunk: Uint8Array) => {
    const wrong = messages.add(chunk);
    if (wrong !== undefined) messages.end(wrong);
  });
  stream.on("end", () => messages.end());
  stream.on("close", () => messages.end());
  return messages.read(() => {});
}
