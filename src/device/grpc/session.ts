/** Calls of gRPC over HTTP/2 on a stream: the runtime's HTTP/2, within bounds that are ours. */
import { type ClientHttp2Stream, connect, constants } from "node:http2";
import { Duplex } from "node:stream";
import { type ErrorDetail, type ErrorKind, messageOf, ServiceError } from "../../base/errors.ts";
import type { ByteStream } from "../../base/net/byte-stream.ts";
import { connectionTimeout, networkError } from "../../base/net/dial.ts";
import { abortReason, onAbort, startClock, within } from "../../base/time/deadline.ts";
import type { Context, GrpcCall, GrpcCallOptions, GrpcConnection } from "../../plugin/index.ts";
import { type FrameWatch, watchFrames } from "./frames.ts";
import { createMessages } from "./messages.ts";

export interface SessionTarget {
  readonly host: string;
  readonly port: number;
  readonly connectTimeoutMs: number;
  readonly isSecure: boolean;
  readonly metadata: Readonly<Record<string, string>>;
}

/** What a task holds in memory; see `OutputShare`. */
interface Counted {
  took(size: number): void;
  reads(source: { hold(): () => void }): () => void;
}

const defaultTimeoutMs = 30_000;
const defaultMessageBytes = 32 * 1024 * 1024;
/** What a server may send ahead of us. */
const windowBytes = 1024 * 1024;
/** `REFUSED_STREAM` of RFC 9113: the server did not begin with the call. */
const refusedStream = 7;

/** @throws ServiceError DriverError, ConnectionTimeout, ConnectionLost */
export async function openSession(
  stream: ByteStream,
  to: SessionTarget,
  ctx: Context,
  share: () => Counted | undefined = () => undefined,
): Promise<GrpcConnection> {
  const greeted = Promise.withResolvers<void>();
  // Awaited below, unless the stream ends first.
  greeted.promise.catch(() => {});
  const watch = watchFrames({ host: to.host, onSettings: greeted.resolve });
  const lostListeners = new Set<() => void>();
  /** Each ends a call that is open. */
  const calls = new Set<() => void>();
  /** Why the connection has ended. */
  let fault: ServiceError | undefined;
  let isClosing = false;

  const under = duplexOn(stream, watch, end);
  const session = connect(`http://${authorityOf(to)}`, {
    createConnection: () => under,
    settings: { enablePush: false, initialWindowSize: windowBytes, maxHeaderListSize: 65_536 },
  });
  session.on("error", (error) => end(lost(error)));
  session.on("close", () => end(lost()));

  function lost(cause?: unknown): ServiceError {
    return networkError(cause, to);
  }

  function end(why: ServiceError): void {
    if (fault !== undefined) return;
    fault = why;
    greeted.reject(why);
    session.destroy();
    stream.destroy();
    for (const endCall of calls) endCall();
    if (isClosing) return;
    for (const listener of lostListeners) listener();
  }

  try {
    const late = () => connectionTimeout(to, to.connectTimeoutMs, "http2");
    await within(greeted.promise, to.connectTimeoutMs, ctx.signal, late);
  } catch (error) {
    isClosing = true;
    end(error instanceof ServiceError ? error : lost(error));
    throw to.isSecure ? unwelcome(error, to.host) : error;
  }

  function call(method: string, options: GrpcCallOptions, ctx: Context): GrpcCall {
    if (fault !== undefined) throw fault;
    if (ctx.signal.aborted) throw abortReason(ctx.signal);
    const goAway = watch.goingAway();
    if (goAway !== undefined) throw wentAway(to.host, goAway, "none");
    const limitMs = Math.min(options.timeoutMs ?? defaultTimeoutMs, ctx.remaining());
    const request = session.request(
      {
        ":method": "POST",
        ":scheme": to.isSecure ? "https" : "http",
        ":authority": authorityOf(to),
        ":path": method,
        te: "trailers",
        "content-type": "application/grpc",
        "grpc-accept-encoding": "identity",
        "grpc-timeout": `${Math.max(1, Math.ceil(Math.min(limitMs, 99_999_999)))}m`,
        ...to.metadata,
      },
      { endStream: false },
    );
    return callOn(request, { ...options, method, limitMs }, ctx);
  }

  function callOn(
    request: ClientHttp2Stream,
    { method, limitMs, ...options }: GrpcCallOptions & { readonly method: string; readonly limitMs: number },
    ctx: Context,
  ): GrpcCall {
    const maxMessageBytes = options.maxMessageBytes ?? defaultMessageBytes;
    const messages = createMessages({
      host: to.host,
      maxMessageBytes,
      maxBytes: options.maxBytes ?? maxMessageBytes,
      hold: () => stream.hold?.() ?? (() => {}),
    });
    const counted = share();
    const forget = counted?.reads({ hold: () => stream.hold?.() ?? (() => {}) });
    let headers: Readonly<Record<string, unknown>> = {};
    let trailers: Readonly<Record<string, unknown>> | undefined;
    let isOver = false;
    /** We have said all. */
    let isFinished = false;
    /** The server has said all. */
    let isEnded = false;

    const stopClock = startClock(
      limitMs,
      () =>
        over(
          new ServiceError(
            "ReadTimeout",
            `${to.host} did not finish ${method} within ${Math.round(limitMs) / 1000} seconds.`,
          ),
        ),
      stream.heldMs,
    );
    const unlisten = onAbort(ctx.signal, (why) => over(why));
    calls.add(ended);

    function ended(): void {
      conclude(fault);
    }

    /** @param error undefined: with status OK */
    function over(error?: ServiceError): void {
      if (isOver) return;
      isOver = true;
      stopClock();
      unlisten();
      forget?.();
      calls.delete(ended);
      messages.end(error);
      // A call that has ended on both sides closes by itself.
      if (!(isEnded && isFinished)) request.close(constants.NGHTTP2_CANCEL);
    }

    function conclude(cause?: unknown): void {
      if (!isOver) over(reasonOf(cause));
    }

    /** The call's end as its headers, trailers and frames tell it; undefined: status OK. */
    function reasonOf(cause: unknown): ServiceError | undefined {
      const status = headers[":status"];
      if (typeof status === "number" && status !== 200) return httpError(status, to.host);
      const code = trailers?.["grpc-status"] ?? headers["grpc-status"];
      if (typeof code === "string" && /^\d{1,3}$/.test(code)) {
        const words = trailers?.["grpc-message"] ?? headers["grpc-message"];
        if (Number(code) !== 0)
          return statusError(Number(code), typeof words === "string" ? words : "", to.host);
        return messages.whole() ? undefined : cutMessage(to.host);
      }
      const goAway = watch.goingAway();
      const id = request.id ?? 0;
      if (goAway !== undefined) return wentAway(to.host, goAway, id > goAway.lastStream ? "none" : undefined);
      const reset = watch.resetOf(id);
      if (reset !== undefined) return resetError(to.host, reset);
      return fault ?? (cause === undefined ? noStatus(to.host) : lost(cause));
    }

    request.on("response", (found) => {
      headers = found;
      const type = found["content-type"];
      if (found[":status"] === 200 && !/^application\/grpc\b/.test(typeof type === "string" ? type : ""))
        over(
          new ServiceError("DriverError", `${to.host} answered, and not with gRPC.`, { reason: "no_http2" }),
        );
    });
    request.on("trailers", (found) => {
      trailers = found;
    });
    request.on("data", (chunk: Uint8Array) => {
      if (isOver) return;
      counted?.took(chunk.length);
      const wrong = messages.add(chunk);
      if (wrong !== undefined) over(wrong);
    });
    request.on("end", () => {
      isEnded = true;
      conclude();
    });
    request.on("error", (error) => conclude(error));
    request.on("close", () => conclude());

    return {
      send(message) {
        if (isOver) return;
        const frame = Buffer.allocUnsafe(5 + message.length);
        frame.writeUInt8(0, 0);
        frame.writeUInt32BE(message.length, 1);
        frame.set(message, 5);
        request.write(frame);
      },
      finish() {
        isFinished = true;
        if (!isOver) request.end();
      },
      messages: messages.read(() => over()),
      cancel: () => over(),
    };
  }

  return {
    call,
    async unary(method, message, options, ctx) {
      const open = call(method, options, ctx);
      open.send(message);
      open.finish();
      let answer: Uint8Array | undefined;
      for await (const each of open.messages) {
        if (answer !== undefined)
          throw new ServiceError("DriverError", `${to.host} answered ${method} with more than one message.`);
        answer = each;
      }
      if (answer !== undefined) return answer;
      throw new ServiceError("DriverError", `${to.host} answered ${method} with no message.`);
    },
    alive: () => fault === undefined && watch.goingAway() === undefined && !session.closed,
    onLost: (listener) => void lostListeners.add(listener),
    async close() {
      if (fault !== undefined) return;
      isClosing = true;
      fault = new ServiceError("ConnectionLost", `The connection to ${to.host}:${to.port} was closed.`);
      for (const endCall of calls) endCall();
      session.destroy();
      await stream.end();
    },
  };
}

const authorityOf = ({ host, port }: SessionTarget): string =>
  `${host.includes(":") && !host.startsWith("[") ? `[${host}]` : host}:${port}`;

/** A stream as the runtime's HTTP/2 wants it, with what the server sends watched. */
function duplexOn(stream: ByteStream, watch: FrameWatch, end: (why: ServiceError) => void): Duplex {
  const duplex = new Duplex({
    read() {},
    write(chunk: Uint8Array, _encoding, done) {
      try {
        stream.write(chunk);
        done();
      } catch (error) {
        // The lease has ended: nothing more is sent.
        end(error instanceof ServiceError ? error : new ServiceError("ConnectionLost", messageOf(error)));
        done();
      }
    },
    final(done) {
      done();
    },
  });
  let isOver = false;
  stream.onData((chunk) => {
    if (isOver) return;
    try {
      watch.take(chunk);
    } catch (error) {
      isOver = true;
      end(error instanceof ServiceError ? error : new ServiceError("DriverError", messageOf(error)));
      return;
    }
    duplex.push(chunk);
  });
  stream.onClose((error) => {
    isOver = true;
    if (error instanceof ServiceError) end(error);
    if (!duplex.destroyed) duplex.push(null);
    duplex.destroy();
  });
  return duplex;
}

/** TLS 1.3 refuses a client certificate after the handshake, and the alert may be lost with the connection. */
function unwelcome(error: unknown, host: string): unknown {
  if (!(error instanceof ServiceError) || error.kind !== "ConnectionLost") return error;
  return new ServiceError(
    "ConnectionLost",
    `${host} closed the connection behind the TLS handshake; it may require a client certificate, or another one.`,
    { outcome: "none", reason: "client_certificate" },
    { cause: error },
  );
}

function wentAway(
  host: string,
  { code, words }: { readonly code: number; readonly words: string },
  outcome?: "none",
): ServiceError {
  const why = words === "" ? "" : `: ${words}`;
  return new ServiceError(
    "ConnectionLost",
    `${host} closes the connection (HTTP/2 error ${code})${why}.`,
    outcome === undefined ? {} : { outcome },
  );
}

const resetError = (host: string, code: number) =>
  new ServiceError(
    "ConnectionLost",
    `${host} broke the call off (HTTP/2 error ${code}).`,
    code === refusedStream ? { outcome: "none" } : {},
  );
const noStatus = (host: string) =>
  new ServiceError("ConnectionLost", `${host} ended the call without a status.`);
const cutMessage = (host: string) =>
  new ServiceError("DriverError", `${host} ended the call within a message.`);

const statusNames: readonly string[] = [
  ...["OK", "CANCELLED", "UNKNOWN", "INVALID_ARGUMENT", "DEADLINE_EXCEEDED", "NOT_FOUND", "ALREADY_EXISTS"],
  ...["PERMISSION_DENIED", "RESOURCE_EXHAUSTED", "FAILED_PRECONDITION", "ABORTED", "OUT_OF_RANGE"],
  ...["UNIMPLEMENTED", "INTERNAL", "UNAVAILABLE", "DATA_LOSS", "UNAUTHENTICATED"],
];

const statusKinds: Readonly<Record<number, ErrorKind>> = {
  4: "ReadTimeout",
  14: "ConnectionLost",
  16: "AuthenticationFailed",
};

const longestWords = 1_000;

/** @param words as the server sent them: percent-encoded */
function statusError(code: number, words: string, host: string): ServiceError {
  const name = statusNames[code] ?? `status ${code}`;
  const said = decoded(words).replace(/\s+/g, " ").trim().slice(0, longestWords);
  const detail: ErrorDetail = { grpc_status: code, grpc_code: name };
  return new ServiceError(
    statusKinds[code] ?? "CommandError",
    `${host} refused the call (${name})${said === "" ? "." : `: ${said.replace(/\.?$/, ".")}`}`,
    code === 16 ? { ...detail, outcome: "none" } : detail,
  );
}

function decoded(words: string): string {
  // What is cut may end within a character.
  const text = words.slice(0, longestWords * 4);
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Answers of what is in front of a gRPC server, or is none. */
function httpError(status: number, host: string): ServiceError {
  if (status === 401)
    return new ServiceError("AuthenticationFailed", `${host} rejected the login (HTTP status 401).`, {
      outcome: "none",
    });
  return new ServiceError(
    "DriverError",
    `${host} answered with HTTP status ${status}: it does not speak gRPC here.`,
    { status, reason: "no_http2", ...(status >= 400 && status < 500 ? { outcome: "none" } : {}) },
  );
}
