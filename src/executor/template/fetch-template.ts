/** Fetches template text over HTTP(S), FTP or from a file below the template roots; cached by URI for a minute. */
import { readFile } from "node:fs/promises";
import { Writable } from "node:stream";
import { Client } from "basic-ftp";
import { LRUCache } from "lru-cache";
import type { Reach } from "../../auth/port.ts";
import { messageOf, ServiceError } from "../../base/errors.ts";
import { fileBelow } from "../../base/files/file-below.ts";
import { abortReason, onAbort } from "../../base/time/deadline.ts";
import type { Context, HttpKit } from "../../plugin/index.ts";
import type { WorkerSettings } from "../../protocol/message-port.ts";
import type { CheckAddress } from "../kit/http-address.ts";

export interface TemplateFetcher {
  /** @throws ServiceError Forbidden, BadRequest, HostUnreachable, ConnectionTimeout, OutputTooLarge */
  read(uri: string, ctx: Context): Promise<string>;
}

const limitMs = 10_000;
const maxBytes = 1024 * 1024;
const redirects = 3;
const keptForMs = 60_000;
/** For all cached texts in total: 200 of the largest would take 200 MiB in each thread. */
const maxKeptChars = 8 * maxBytes;

export interface TemplateFetcherOptions {
  readonly settings: WorkerSettings;
  readonly http: HttpKit;
  readonly check: CheckAddress;
  /** What the current caller may reach. */
  reach(): Reach;
}

export function createTemplateFetcher({
  settings,
  http,
  check,
  reach,
}: TemplateFetcherOptions): TemplateFetcher {
  const cache = new LRUCache<string, string>({
    max: 200,
    ttl: keptForMs,
    maxSize: maxKeptChars,
    sizeCalculation: (text, uri) => text.length + uri.length,
  });

  async function remote(uri: string, ctx: Context): Promise<string> {
    // The cache is separate per reach: a key must not get what another may fetch.
    const name = `${[...reach().patterns].sort().join(" ")} ${uri}`;
    const cached = cache.get(name);
    if (cached !== undefined) return cached;
    const text = /^ftp:/i.test(uri) ? await readFtp(uri, check, ctx) : await readHttp(uri, http, ctx);
    cache.set(name, text);
    return text;
  }

  return {
    read: (uri, ctx) => (/^file:/i.test(uri) ? readLocal(uri, settings.templateRoots) : remote(uri, ctx)),
  };
}

async function readHttp(uri: string, http: HttpKit, ctx: Context): Promise<string> {
  const response = await http.request(uri, { timeoutMs: limitMs, redirects, maxBytes }, ctx);
  if (response.status === 200) return response.body;
  throw new ServiceError(
    "BadRequest",
    `The template could not be fetched: ${new URL(uri).host} answered ${response.status}.`,
  );
}

async function readLocal(uri: string, roots: readonly string[]): Promise<string> {
  // Two slashes and a relative path (file://ios/base.j2) mean a file below the first root that contains it.
  const rest = uri.slice("file://".length);
  const path = rest.startsWith("/") ? decoded(rest) : rest;
  const real = await fileBelow(roots, path, "read");
  const bytes = await readFile(real);
  if (bytes.length > maxBytes)
    throw new ServiceError("OutputTooLarge", `The template is larger than ${maxBytes} bytes.`);
  return bytes.toString("utf8");
}

/** Returns the path unchanged if it is not valid percent-encoding: a name may contain a bare `%`. */
function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

async function readFtp(uri: string, check: CheckAddress, ctx: Context): Promise<string> {
  if (!URL.canParse(uri)) throw new ServiceError("BadRequest", "The URL is invalid.");
  const target = new URL(uri);
  const [user, password, path] = [target.username, target.password, target.pathname].map(plainText);
  const { address } = await check(target.hostname);
  const client = new Client(Math.min(limitMs, ctx.remaining()));
  const unlisten = onAbort(ctx.signal, () => client.close());
  const chunks: Buffer[] = [];
  let size = 0;
  const sink = new Writable({
    write(chunk: Buffer, _encoding, done) {
      size += chunk.length;
      if (size > maxBytes)
        return done(new ServiceError("OutputTooLarge", `The template is larger than ${maxBytes} bytes.`));
      chunks.push(chunk);
      done();
    },
  });
  const total = setTimeout(() => client.close(), limitMs);
  try {
    await client.access({
      host: address,
      port: Number(target.port || 21),
      user: user || "anonymous",
      password: password || "guest@",
    });
    await client.downloadTo(sink, path ?? "");
    return Buffer.concat(chunks).toString("utf8");
  } catch (error) {
    if (ctx.signal.aborted) throw abortReason(ctx.signal);
    if (error instanceof ServiceError) throw error;
    throw new ServiceError(
      "BadRequest",
      `The template could not be fetched from ${target.host}: ${messageOf(error)}`,
    );
  } finally {
    clearTimeout(total);
    unlisten();
    client.close();
  }
}

/**
 * Decodes a part of an FTP URL. A line break would begin another command, and the library quotes the command.
 * @throws ServiceError BadRequest
 */
function plainText(part: string): string {
  const text = decoded(part);
  if (/[\0-\x1f\x7f]/.test(text)) throw new ServiceError("BadRequest", "The URL holds a control character.");
  return text;
}
