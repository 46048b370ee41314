/** Facts of a request before it is handled: its URL, its id, the caller's address, our own origin. */
import { randomUUID } from "node:crypto";
import { net } from "../../base/lazy-modules.ts";

/** A missing (HTTP/1.0) or invalid Host header yields an unparsable URL; the path is still used. */
export function urlOf(request: Request): URL {
  const url = URL.parse(request.url);
  if (url) return url;
  const path = request.url.replace(/^[a-z]+:\/\/[^/?#]*/i, "");
  return new URL(path.startsWith("/") ? `http://localhost${path}` : "http://localhost/");
}

/** The caller's request id if it is safe in a log line and a header. */
export function requestIdOf(request: Request): string {
  const callersId = request.headers.get("x-request-id");
  return callersId !== null && /^[A-Za-z0-9._:-]{1,128}$/.test(callersId) ? callersId : randomUUID();
}

/** Each proxy appends to the list: only the last entry was written by the proxy in front of us. */
export function addressOf(request: Request, direct: string | null, behindProxy: boolean): string | null {
  const last = behindProxy ? lastOf(request.headers.get("x-forwarded-for")) : undefined;
  if (last === undefined) return direct;
  const bare = last.replace(/^\[(.*)\](:\d+)?$/, "$1").replace(/^(\d+\.\d+\.\d+\.\d+):\d+$/, "$1");
  return net().isIP(bare) === 0 ? direct : bare;
}

/** Whether `origin` is an origin of this service. */
export function isOwnOrigin(origin: string, request: Request, url: URL, behindProxy: boolean): boolean {
  if (!URL.canParse(origin)) return false;
  const { host, protocol } = new URL(origin);
  const forwarded = (name: string) => (behindProxy ? lastOf(request.headers.get(name)) : undefined);
  const ownHost = forwarded("x-forwarded-host") ?? request.headers.get("host") ?? url.host;
  const ownScheme = behindProxy ? forwarded("x-forwarded-proto") : url.protocol.slice(0, -1);
  // If a proxy does not forward its scheme, the host decides.
  return (ownScheme === undefined || protocol === `${ownScheme}:`) && sameHost(host, ownHost, protocol);
}

/** The origin under which this request has reached the service. */
export function ownOrigin(request: Request, url: URL, behindProxy: boolean): string {
  const forwarded = (name: string) => (behindProxy ? lastOf(request.headers.get(name)) : undefined);
  const host = forwarded("x-forwarded-host") ?? request.headers.get("host") ?? url.host;
  const written = `${forwarded("x-forwarded-proto") ?? url.protocol.slice(0, -1)}://${host}`;
  return URL.canParse(written) ? new URL(written).origin : url.origin;
}

/** Browsers accept HTML explicitly; scripts accept anything or send no Accept header. */
export function acceptsPages(request: Request): boolean {
  return request.headers.get("accept")?.includes("text/html") === true;
}

/** Whether the caller accepts gzip. */
export function takesGzip(request: Request): boolean {
  const accepted = request.headers.get("accept-encoding") ?? "";
  return /\bgzip\b(?!\s*;\s*q=0(?:\.0*)?\s*(?:,|$))/i.test(accepted);
}

/** Whether the caller uses HTTPS, to us or to the proxy in front. */
export function isSecure(request: Request, url: URL, behindProxy: boolean): boolean {
  const forwarded = behindProxy ? lastOf(request.headers.get("x-forwarded-proto")) : undefined;
  return (forwarded ?? url.protocol.slice(0, -1)) === "https";
}

/** `URL` drops the scheme's default port; a Host header may include it. */
function sameHost(host: string, ownHost: string, protocol: string): boolean {
  const spelled = `${protocol}//${ownHost}`;
  return URL.canParse(spelled) && new URL(spelled).host === host;
}

function lastOf(list: string | null): string | undefined {
  return list?.split(",").at(-1)?.trim() || undefined;
}
