/** One NETCONF session on a stream: hello exchange, concurrent RPCs, and a defined end in every case. */

import { messageOf, ServiceError } from "../../base/errors.ts";
import type { ByteStream } from "../../base/net/byte-stream.ts";
import { abortReason, neverAborted, startClock, type TimeLimit, within } from "../../base/time/deadline.ts";
import { parseXml, type XmlElement } from "../../base/xml/xml.ts";
import type { XmlFragment } from "../../base/xml/xml-write.ts";
import type { NetconfCall, NetconfReply } from "../../plugin/kit/netconf.ts";
import { createDeframer, type Framing, frame } from "./framing.ts";
import {
  call,
  clientHello,
  closeSession,
  errorsOf,
  readHello,
  type ServerHello,
  shownError,
} from "./messages.ts";

export interface SessionOptions {
  /** Client capabilities besides the base protocol. */
  readonly capabilities: readonly string[];
  readonly chunked: boolean;
  readonly helloTimeoutMs: number;
  readonly maxBytes: number;
  readonly replyTimeoutMs: number;
}

/** A session on a stream; whoever opened the connection closes it. */
export interface StreamSession extends ServerHello {
  rpc(operation: XmlFragment, options: NetconfCall, limit: TimeLimit): Promise<NetconfReply>;
  alive(): boolean;
  onLost(listener: () => void): void;
  close(): Promise<void>;
}

interface Waiting {
  readonly operation: string;
  readonly giveErrors: boolean;
  resolve(reply: NetconfReply): void;
  reject(error: ServiceError): void;
}

/** How long a device may take to answer our close. */
const goodbyeMs = 1_000;
/** How long the first call may go unanswered before the device is woken. */
const sleepMs = 2_000;

/**
 * @throws ServiceError ConnectionTimeout, ConnectionLost, DriverError if the peer does not speak NETCONF; the stream is
 * closed then
 */
export async function openSession(
  stream: ByteStream,
  options: SessionOptions,
  limit: TimeLimit,
): Promise<StreamSession> {
  const greeting = Promise.withResolvers<ServerHello>();
  const calls = new Map<string, Waiting>();
  const lostListeners: (() => void)[] = [];
  let hello: ServerHello | undefined;
  let framing: Framing = "marked";
  let ended: ServiceError | undefined;
  let isClosing = false;
  let lastId = 0;
  /** The first byte of the next message has been sent. */
  let hasBegun = false;
  let stopWaking = () => {};

  /** Ends the session for all waiting calls; the first reason counts. */
  function end(reason: ServiceError): void {
    if (ended !== undefined) return;
    ended = reason;
    stopWaking();
    stream.destroy();
    greeting.reject(reason);
    for (const waiting of calls.values()) waiting.reject(reason);
    calls.clear();
    if (hello !== undefined && !isClosing) for (const listener of lostListeners) listener();
  }

  const deframer = createDeframer(options, (bytes) => {
    if (ended !== undefined) return;
    const text = readable(bytes);
    if (hello !== undefined) return received(text);
    hello = readHello(text, options.chunked);
    if (hello.version === "1.1") {
      framing = "chunked";
      deframer.use("chunked");
    }
    greeting.resolve(hello);
  });

  function received(source: string): void {
    const root = parseXml(source, { length: options.maxBytes });
    if (root.name === "notification") return;
    if (root.name !== "rpc-reply")
      throw new ServiceError("DriverError", `The device sent <${root.name}> instead of a reply.`);
    const id = root.attribute("message-id");
    // A device that could not parse a call cannot name it, so the reply belongs to the oldest.
    const key = id ?? calls.keys().next().value ?? "";
    const waiting = calls.get(key);
    if (waiting === undefined)
      throw new ServiceError("DriverError", `The device replied to an unknown call (${id}).`);
    calls.delete(key);
    stopWaking();
    settle(waiting, root, source);
  }

  stream.onData((bytes) => {
    if (ended !== undefined) return;
    try {
      deframer.push(bytes);
    } catch (error) {
      end(asServiceError(error));
    }
  });
  stream.onClose((error) => {
    const cut = deframer.unfinished() ? " in the middle of a message" : "";
    end(
      error instanceof ServiceError
        ? error
        : new ServiceError("ConnectionLost", `The device closed the NETCONF session${cut}.`, undefined, {
            cause: error,
          }),
    );
  });

  /** @throws ServiceError if the message was not sent */
  function send(message: string): void {
    if (ended !== undefined) throw ended;
    stopWaking();
    const framed = frame(message, framing);
    const rest = typeof framed === "string" ? framed.slice(1) : framed.subarray(1);
    stream.write(hasBegun ? rest : framed);
    hasBegun = false;
  }

  /**
   * A server may find hello and first call in one piece, and some (netconfd) then take up the call only when more
   * arrives. What arrives is the first byte of the next message, which is always the same.
   */
  function wake(): void {
    hasBegun = true;
    try {
      stream.write(framing === "chunked" ? "\n" : "<");
    } catch (error) {
      end(asServiceError(error));
    }
  }

  async function rpc(
    operation: XmlFragment,
    { timeoutMs = options.replyTimeoutMs, errors }: NetconfCall,
    limit: TimeLimit,
  ): Promise<NetconfReply> {
    if (ended !== undefined) throw ended;
    if (limit.signal.aborted) throw abortReason(limit.signal);
    if (calls.size >= maxCalls)
      throw new ServiceError(
        "ResourceExhausted",
        `More than ${maxCalls} NETCONF calls are waiting for a reply.`,
      );
    const id = ++lastId;
    const { promise, resolve, reject } = Promise.withResolvers<NetconfReply>();
    const name = nameOf(operation);
    send(call(id, operation));
    if (id === 1) stopWaking = startClock(sleepMs, wake, stream.heldMs);
    calls.set(String(id), { operation: name, giveErrors: errors === "give", resolve, reject });
    const late = () =>
      new ServiceError("ReadTimeout", `The device did not reply to <${name}> within ${timeoutMs / 1000} s.`, {
        command: name,
      });
    // A call that is no longer awaited stays in the list: its late reply is dropped, and the session can still discard.
    return within(promise, timeoutMs, limit.signal, late, stream.heldMs);
  }

  async function close(): Promise<void> {
    if (isClosing) return;
    isClosing = true;
    if (ended !== undefined) return;
    const scope: TimeLimit = { signal: neverAborted, remaining: () => goodbyeMs };
    await rpc(closeSession, { timeoutMs: goodbyeMs }, scope).catch(() => {});
    await stream.end();
    end(new ServiceError("ConnectionLost", "The NETCONF session was closed."));
  }

  // The promise may be rejected before anyone awaits it.
  greeting.promise.catch(() => {});
  try {
    send(clientHello(options.capabilities, options.chunked));
  } catch (error) {
    end(asServiceError(error));
  }
  const { helloTimeoutMs } = options;
  const silent = () =>
    new ServiceError(
      "ConnectionTimeout",
      `The device sent no NETCONF hello within ${helloTimeoutMs / 1000} s.`,
    );
  const greeted = await within(greeting.promise, helloTimeoutMs, limit.signal, silent).catch((error) => {
    end(asServiceError(error));
    throw error;
  });
  return {
    ...greeted,
    rpc,
    alive: () => ended === undefined && !isClosing,
    onLost(listener) {
      lostListeners.push(listener);
    },
    close,
  };
}

function settle({ operation, giveErrors, resolve, reject }: Waiting, root: XmlElement, source: string): void {
  const errors = source.includes("rpc-error") ? errorsOf(root) : [];
  const faults = errors.filter(({ severity }) => severity === "error");
  if (faults.length === 0 || giveErrors) {
    const warnings = errors.filter(({ severity }) => severity === "warning");
    resolve({ root, source, warnings, errors: faults });
    return;
  }
  const told = faults.slice(0, maxTold).map(shownError).join("; ");
  reject(
    new ServiceError("CommandError", `The device refused <${operation}>: ${told}.`.replace(/\.\.$/, "."), {
      command: operation,
      errors: errors.slice(0, maxErrors),
    }),
  );
}

/** Calls without a reply. */
const maxCalls = 1_000;
const maxTold = 5;
const maxErrors = 100;

/** Some devices send control characters in descriptions; these are replaced so that the XML can be parsed. */
function readable(bytes: Buffer): string {
  const text = bytes.toString("utf8");
  return unreadable.test(text) ? text.replace(new RegExp(unreadable, "g"), "\uFFFD") : text;
}

const unreadable = /[\u0000-\u0008\u000B\u000C\u000E-\u001F\uFFFE\uFFFF]/;

function nameOf({ source }: XmlFragment): string {
  return /^\s*<(?:[\w.-]+:)?([\w.-]+)/.exec(source)?.[1] ?? "rpc";
}

function asServiceError(error: unknown): ServiceError {
  if (error instanceof ServiceError) return error;
  return new ServiceError("DriverError", messageOf(error), undefined, {
    cause: error,
  });
}
