/** HTTP to addresses a caller names: resolved once, checked against the policy, and what was checked is dialled. */
import { lookup } from "node:dns/promises";
import * as http from "node:http";
import * as https from "node:https";
import { demandAddresses, type Reach, reachOf } from "../auth/reach.ts";
import { abortReason, onAbort } from "../base/deadline.ts";
import type { Address, Lookup } from "../base/dial.ts";
import { ServiceError } from "../base/errors.ts";
import { type AddressPolicy, addressAllowed } from "../base/guard.ts";
import { shownUrl } from "../base/url.ts";
import type { Context, GuardedRequest, GuardedResponse } from "../plugin/index.ts";

export type Request = (url: string, init: GuardedRequest, ctx: Context) => Promise<GuardedResponse>;

export interface GuardOptions {
  /** What the one who asked may reach. */
  reach?(): Reach;
  readonly find?: Lookup;
}

const everywhere = reachOf([]);

export function createGuardedRequest(
  policy: AddressPolicy,
  { reach = () => everywhere, find = lookUp }: GuardOptions = {},
): Request {
  return async function request(url, init, ctx) {
    let target = parsed(url);
    let headers = init.headers;
    for (let hop = 0; ; hop++) {
      const address = await checkedAddress(policy, target.hostname, reach(), find);
      const response = await once(target, address, { ...init, headers }, ctx);
      const location = response.headers.location;
      if (response.status < 300 || response.status > 399 || location === undefined || init.redirects === 0)
        return response;
      if (hop >= init.redirects)
        throw new ServiceError(
          "BadRequest",
          `${shownUrl(parsed(url))} redirects more than ${init.redirects} times.`,
        );
      const next = parsed(new URL(location, target).href);
      if (target.protocol === "https:" && next.protocol === "http:") {
        throw new ServiceError("BadRequest", `${shownUrl(parsed(url))} redirects from https to http.`);
      }
      // Credentials belong to the host they were meant for.
      if (next.host !== target.host) headers = withoutCredentials(headers);
      target = next;
    }
  };
}

function withoutCredentials(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).filter(([name]) => !/^(authorization|cookie)$/i.test(name)),
  );
}

function parsed(url: string): URL {
  if (!URL.canParse(url)) throw new ServiceError("BadRequest", "The URL is not valid.");
  const target = new URL(url);
  if (target.protocol !== "http:" && target.protocol !== "https:") {
    throw new ServiceError("Forbidden", `The scheme ${target.protocol} is not allowed.`);
  }
  return target;
}

/** @throws ServiceError Forbidden when any address of the name is refused: an attacker picks which one is used. */
export async function checkedAddress(
  policy: AddressPolicy,
  hostname: string,
  reach: Reach,
  find: Lookup = lookUp,
): Promise<Address> {
  const host = hostname.replace(/^\[(.*)\]$/, "$1");
  const found = await find(host).catch(() => []);
  const first = found[0];
  if (!first) throw new ServiceError("HostUnreachable", `The name ${host} can not be resolved.`);
  if (!found.every(({ address }) => addressAllowed(policy, host, address))) {
    throw new ServiceError(
      "Forbidden",
      `The address of ${host} is not allowed (PATCHBAY_URL_ALLOW, PATCHBAY_URL_DENY).`,
    );
  }
  const addresses = found.map(({ address }) => address);
  demandAddresses(reach, host, addresses);
  return first;
}

const lookUp: Lookup = (name) => lookup(name, { all: true });

function once(
  target: URL,
  dial: { address: string; family: number },
  init: GuardedRequest,
  ctx: Context,
): Promise<GuardedResponse> {
  return new Promise((resolve, reject) => {
    const client = target.protocol === "https:" ? https : http;
    const request = client.request(target, {
      method: init.method,
      headers: {
        ...init.headers,
        ...(init.body === undefined ? {} : { "Content-Length": String(Buffer.byteLength(init.body)) }),
      },
      agent: false,
      lookup: (_host, options, done) =>
        options.all ? done(null, [dial]) : done(null, dial.address, dial.family),
    });
    const fail = (error: Error) => {
      request.destroy();
      finish(() => reject(error));
    };
    const late = () =>
      fail(
        new ServiceError(
          "ConnectionTimeout",
          `${target.host} did not answer within ${init.timeoutMs / 1000} seconds.`,
        ),
      );
    const timer = setTimeout(late, Math.min(init.timeoutMs, ctx.remaining()));
    let unlisten = () => {};
    function finish(settle: () => void) {
      clearTimeout(timer);
      unlisten();
      settle();
    }
    unlisten = onAbort(ctx.signal, () => fail(abortReason(ctx.signal)));
    request.on("error", (error) =>
      fail(new ServiceError("HostUnreachable", `${target.host} could not be reached: ${error.message}`)),
    );
    request.on("response", (response) => {
      const chunks: Buffer[] = [];
      let size = 0;
      response.on("data", (chunk: Buffer) => {
        size += chunk.length;
        if (size > init.maxBytes)
          fail(
            new ServiceError(
              "OutputTooLarge",
              `The answer of ${target.host} is larger than ${init.maxBytes} bytes.`,
            ),
          );
        else chunks.push(chunk);
      });
      response.on("error", fail);
      response.on("end", () =>
        finish(() =>
          resolve({
            status: response.statusCode ?? 0,
            headers: plainHeaders(response.headers),
            body: Buffer.concat(chunks).toString("utf8"),
          }),
        ),
      );
    });
    request.end(init.body);
  });
}

function plainHeaders(headers: http.IncomingHttpHeaders): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]])),
  );
}
