/** Performs one HTTP request to a checked address and streams the response, within timeout and size limits. */
import * as http from "node:http";
import * as https from "node:https";
import { messageOf, ServiceError } from "../../base/errors.ts";
import { requireDescriptor } from "../../base/files/descriptors.ts";
import { type Address, networkError } from "../../base/net/dial.ts";
import { abortReason, onAbort, startClock } from "../../base/time/deadline.ts";
import { giveWay } from "../../base/time/yield.ts";
import type { Context, HttpRequest, HttpStream } from "../../plugin/index.ts";
import { createGate } from "../gate.ts";
import type { OutputShare } from "../output-shares.ts";

export const defaultTimeoutMs = 30_000;
export const defaultMaxBytes = 8 * 1024 * 1024;

export interface Exchange {
  readonly url: URL;
  /** The checked address is the one dialled, whatever the name resolves to by then. */
  readonly address: Address;
  readonly request: HttpRequest;
  /** Keeps connections alive; `false` closes after the response. */
  readonly agent: http.Agent | false;
  /** Of the task, if its whole answer is kept in memory. */
  readonly share?: OutputShare;
}

/** Error codes of failed connects: nothing was sent. */
const unconnected = /^(?:ECONNREFUSED|EHOSTUNREACH|ENETUNREACH|EHOSTDOWN|EADDRNOTAVAIL|ENOTFOUND|EAI_\w+)$/;
/** OpenSSL errors if the server does not speak TLS. */
const noTls = /WRONG_VERSION_NUMBER|HTTP_REQUEST|PACKET_LENGTH_TOO_LONG|INVALID_RECORD/i;
const certificate = /CERT|SELF_SIGNED|UNABLE_TO_|ERR_TLS|ERR_SSL/;

/** @throws ServiceError ResourceExhausted, ConnectionRefused, HostUnreachable, ReadTimeout, ConnectionLost, OutputTooLarge */
export async function exchange(
  { url, address, request: httpRequest, agent, share }: Exchange,
  ctx: Context,
): Promise<HttpStream> {
  requireDescriptor();
  const { promise, resolve, reject } = Promise.withResolvers<HttpStream>();
  const limitMs = Math.min(httpRequest.timeoutMs ?? defaultTimeoutMs, ctx.remaining());
  let failure: ServiceError | undefined;
  const request = (url.protocol === "https:" ? https : http).request(url, {
    method: httpRequest.method ?? "GET",
    headers: { ...httpRequest.headers, ...lengthOf(httpRequest.body) },
    agent,
    ...(url.protocol === "https:" ? tlsOf(httpRequest.tls) : {}),
    lookup: (_host, options, done) =>
      options.all ? done(null, [address]) : done(null, address.address, address.family),
  });
  const fail = (error: ServiceError) => {
    failure ??= error;
    release();
    request.destroy();
    reject(failure);
  };
  const late = () =>
    new ServiceError(
      "ReadTimeout",
      `${url.host} did not answer within ${Math.round(limitMs) / 1000} seconds.`,
    );
  const gate = createGate();
  const forget = share?.reads(gate);
  const stopClock = startClock(limitMs, () => fail(late()), gate.heldMs);
  const unlisten = onAbort(ctx.signal, () => fail(abortReason(ctx.signal)));
  function release(): void {
    stopClock();
    forget?.();
    unlisten();
  }

  async function* limited(response: http.IncomingMessage): AsyncGenerator<Uint8Array> {
    const maxBytes = httpRequest.maxBytes ?? defaultMaxBytes;
    let size = 0;
    try {
      for await (const chunk of response) {
        size += chunk.length;
        if (size > maxBytes)
          throw new ServiceError(
            "OutputTooLarge",
            `The answer of ${url.host} is larger than ${maxBytes} bytes.`,
          );
        // Large answers are taken in by turns with what other devices send.
        await giveWay();
        share?.took(chunk.length);
        await gate.passed(ctx.signal);
        yield chunk;
      }
      if (failure) throw failure;
    } catch (error) {
      throw failure ?? (error instanceof ServiceError ? error : lostError(error, url));
    } finally {
      release();
      if (!response.complete) request.destroy();
    }
  }

  request.on("error", (error) => fail(lostError(error, url)));
  request.on("response", (response) =>
    resolve({
      status: response.statusCode ?? 0,
      headers: plainHeaders(response.headers),
      body: limited(response),
    }),
  );
  void send(request, httpRequest.body).catch((error) => fail(lostError(error, url)));
  return promise;
}

async function send(request: http.ClientRequest, body: HttpRequest["body"]): Promise<void> {
  if (typeof body !== "object" || body instanceof Uint8Array) return void request.end(body);
  for await (const chunk of body) {
    if (!request.write(chunk)) await new Promise((resolve) => request.once("drain", resolve));
  }
  request.end();
}

function lengthOf(body: HttpRequest["body"]): Record<string, string> {
  if (typeof body === "string") return { "Content-Length": String(Buffer.byteLength(body)) };
  return body instanceof Uint8Array ? { "Content-Length": String(body.byteLength) } : {};
}

function tlsOf({
  verify,
  serverName,
  ...options
}: NonNullable<HttpRequest["tls"]> = {}): https.RequestOptions {
  return {
    ...options,
    ...(serverName === undefined ? {} : { servername: serverName }),
    ...(verify === undefined ? {} : { rejectUnauthorized: verify }),
  };
}

function lostError(error: unknown, url: URL): ServiceError {
  if (error instanceof ServiceError) return error;
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  const message = messageOf(error);
  if (url.protocol === "https:" && noTls.test(`${code} ${message}`))
    return new ServiceError(
      "DriverError",
      `${url.host} does not speak TLS: check whether the port serves https.`,
      {
        outcome: "none",
      },
    );
  if (certificate.test(code) || certificate.test(message))
    return new ServiceError("HostUnreachable", `The certificate of ${url.host} is not accepted: ${message}`, {
      outcome: "none",
    });
  const port = Number(url.port) || (url.protocol === "https:" ? 443 : 80);
  const { kind, message: text } = networkError(error, { host: url.hostname, port });
  return new ServiceError(kind, text, unconnected.test(code) ? { outcome: "none" } : undefined, {
    cause: error,
  });
}

function plainHeaders(headers: http.IncomingHttpHeaders): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]])),
  );
}
