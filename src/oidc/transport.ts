/** Requests to a provider: HTTPS with its CA, no redirects, limited in time and size. */
import { ServiceError } from "../base/errors.ts";
import { createDeadline } from "../base/time/deadline.ts";

export interface Transport {
  /**
   * In place of `fetch`.
   * @throws ServiceError Unavailable: down, slow, too large, or its certificate is not trusted
   */
  readonly fetch: (url: string, init: RequestInit) => Promise<Response>;
}

export interface TransportOptions {
  /** For sentences: "The provider "corp"". */
  readonly who: string;
  /** PEM; undefined: the public ones. */
  readonly ca: () => string | undefined;
  readonly limitMs?: number;
}

const requestMs = 5_000;
/** Of an answer with claims of a person; documents about the provider are smaller. */
export const maxClaimsBytes = 1024 * 1024;
export const maxDocumentBytes = 256 * 1024;

export function createTransport(
  { who, ca, limitMs = requestMs }: TransportOptions,
  maxBytes: number,
): Transport {
  return {
    async fetch(url, init) {
      const slow = () =>
        new ServiceError("Unavailable", `${who} did not answer within ${limitMs / 1000} s. Try again later.`);
      const deadline = createDeadline(limitMs, slow);
      try {
        const response = await fetch(url, {
          ...init,
          redirect: "manual",
          // A provider may close an idle connection the moment it is used again: a code cannot be sent a second time.
          keepalive: false,
          signal: deadline.signal,
          tls: { ca: ca() },
        });
        const body = await readUpTo(response, maxBytes, who);
        const { status, headers } = response;
        // A response with one of these has no body.
        const isEmpty = status === 204 || status === 304 || body.length === 0;
        return new Response(isEmpty ? null : body, { status, headers: plain(headers) });
      } catch (error) {
        if (error instanceof ServiceError) throw error;
        if (deadline.signal.aborted) throw slow();
        throw new ServiceError("Unavailable", `${who} cannot be reached: ${reasonOf(error)}.`);
      } finally {
        deadline.dispose();
      }
    },
  };
}

/** What the library reads; the body is unpacked already. */
function plain(headers: Headers): Headers {
  const kept = new Headers();
  for (const name of ["content-type", "www-authenticate", "date"]) {
    const value = headers.get(name);
    if (value !== null) kept.set(name, value);
  }
  return kept;
}

async function readUpTo(response: Response, maxBytes: number, who: string): Promise<Uint8Array<ArrayBuffer>> {
  const pieces: Uint8Array[] = [];
  let length = 0;
  const reader = response.body?.getReader();
  while (reader !== undefined) {
    const { done, value } = await reader.read();
    if (done) break;
    length += value.length;
    if (length > maxBytes) {
      void reader.cancel().catch(() => {});
      const most = maxBytes >= maxClaimsBytes ? `${maxBytes / 1024 / 1024} MiB` : `${maxBytes / 1024} KiB`;
      throw new ServiceError("Unavailable", `${who} sent an answer of more than ${most}, which is refused.`);
    }
    pieces.push(value);
  }
  const body = new Uint8Array(length);
  let at = 0;
  for (const piece of pieces) {
    body.set(piece, at);
    at += piece.length;
  }
  return body;
}

/** Codes of the runtime in words. They name no secret; other messages may quote a URL. */
const reasons: Readonly<Record<string, string>> = {
  ConnectionRefused: "it refuses connections",
  ECONNREFUSED: "it refuses connections",
  FailedToOpenSocket: "there is no connection",
  ConnectionClosed: "it closed the connection",
  ECONNRESET: "it closed the connection",
  ENOTFOUND: "its name is unknown",
  DNSException: "its name is unknown",
  CERT_HAS_EXPIRED: "its certificate has expired",
  CERT_NOT_YET_VALID: "its certificate is not valid yet; compare the clocks",
  DEPTH_ZERO_SELF_SIGNED_CERT: "its certificate is not signed by a known CA; set the CA file",
  SELF_SIGNED_CERT_IN_CHAIN: "its certificate is not signed by a known CA; set the CA file",
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: "its certificate is not signed by a known CA; set the CA file",
  UNABLE_TO_GET_ISSUER_CERT: "its certificate is not signed by a known CA; set the CA file",
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: "its certificate is not signed by a known CA; set the CA file",
  ERR_TLS_CERT_ALTNAME_INVALID: "its certificate is for another name",
  HOSTNAME_MISMATCH: "its certificate is for another name",
};

function reasonOf(error: unknown): string {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  return reasons[code] ?? (/^[A-Za-z_]{1,60}$/.test(code) ? code : "the connection failed");
}
