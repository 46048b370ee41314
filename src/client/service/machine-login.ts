/** Asks a service for a key of a person: through a browser on this machine, or with a code that the person types. */
import { createHash, randomBytes } from "node:crypto";
import type { Server as Listener } from "node:http";
import type { MadeKey } from "../../api/access/key.ts";
import { loginWays } from "../../api/access/login.ts";
import { askedLoginRequest, loginToken } from "../../api/access/login-request.ts";
import { reader } from "../../api/schema.ts";
import { ServiceError } from "../../base/errors.ts";
import { createDeadline, type Deadline, onAbort } from "../../base/time/deadline.ts";
import type { Api } from "./api.ts";

export interface MachineLogin {
  readonly api: Pick<Api, "call">;
  /** Address of the console. */
  readonly url: string;
  /** Host name of this machine. */
  readonly machine: string;
  readonly signal: AbortSignal;
}

/** Wrong codes that pages of others may bring to the port. */
const maxWrong = 20;

const asked = reader(askedLoginRequest);
const token = reader(loginToken);

/** Whether people sign in to the service by a provider; false for a service that does not know of it. */
export async function hasProviders(api: Pick<Api, "call">): Promise<boolean> {
  try {
    return (await api.call("/login", reader(loginWays))).providers.length > 0;
  } catch (error) {
    if (error instanceof ServiceError && ["NotFound", "Forbidden", "MethodNotAllowed"].includes(error.kind))
      return false;
    throw error;
  }
}

/**
 * @param show tells the person where to confirm
 * @throws ServiceError Forbidden (denied), TooManyRequests, Unavailable (nobody confirmed); the reason of the signal
 */
export async function loginByBrowser(login: MachineLogin, show: (page: string) => void): Promise<MadeKey> {
  const { api, url, machine, signal } = login;
  const { verifier, challenge } = makeVerifier();
  const arrivals = createArrivals();
  const listener = await listen(arrivals.bring);
  const unlisten = onAbort(signal, () => arrivals.bring(undefined));
  let limit: Deadline | undefined;
  try {
    const body = { challenge, machine, port: portOf(listener) };
    const { request, page, expires_at } = await api.call("/login/request", asked, {
      method: "POST",
      body,
      signal,
    });
    limit = createDeadline(Date.parse(expires_at) - Date.now(), nobody);
    onAbort(limit.signal, () => arrivals.bring(undefined));
    show(url + page);
    for (let wrong = 0; ; ) {
      const brought = await arrivals.next();
      signal.throwIfAborted();
      if (brought === undefined) throw nobody();
      if (brought === "denied")
        throw new ServiceError("Forbidden", "The login was denied: nothing was given.");
      try {
        const body = { request, verifier, code: brought };
        const { key } = await api.call("/login/token", token, { method: "POST", body, signal });
        if (key !== null) return key;
      } catch (error) {
        // Any page that this browser shows could have brought it.
        if (!(error instanceof ServiceError) || error.kind !== "NotFound" || ++wrong > maxWrong) throw error;
      }
    }
  } finally {
    limit?.dispose();
    unlisten();
    listener.close();
    listener.closeAllConnections();
  }
}

/**
 * @param show tells the person where to type which code
 * @throws ServiceError as `loginByBrowser`
 */
export async function loginByCode(
  { api, url, machine, signal }: MachineLogin,
  show: (page: string, code: string) => void,
): Promise<MadeKey> {
  const { verifier, challenge } = makeVerifier();
  const body = { challenge, machine };
  const { request, page, user_code } = await api.call("/login/request", asked, {
    method: "POST",
    body,
    signal,
  });
  show(url + page, user_code ?? "");
  for (;;) {
    try {
      // Held by the service until the person has answered, or for a while.
      const { key } = await api.call("/login/token", token, {
        ...{ method: "POST", body: { request, verifier }, signal, patient: true },
      });
      if (key !== null) return key;
    } catch (error) {
      throw error instanceof ServiceError && error.kind === "NotFound" ? nobody() : error;
    }
  }
}

const nobody = () =>
  new ServiceError("Unavailable", "Nobody confirmed the login within 10 minutes: begin again.");

function makeVerifier() {
  const verifier = randomBytes(32).toString("base64url");
  return { verifier, challenge: createHash("sha256").update(verifier).digest("base64url") };
}

/** What browsers brought: a code, a denial, or undefined for the end. */
type Brought = string | undefined;

function createArrivals() {
  const waiting: Brought[] = [];
  let wake = () => {};
  return {
    bring(brought: Brought): void {
      if (waiting.length <= maxWrong) waiting.push(brought);
      wake();
    },
    async next(): Promise<Brought> {
      while (waiting.length === 0) await new Promise<void>((resolve) => (wake = resolve));
      return waiting.shift();
    },
  };
}

const page = (text: string) =>
  `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="color-scheme" content="light dark"><title>Patchbay</title><body style="font: 16px system-ui; margin: 4rem auto; max-width: 30rem; padding: 0 1rem"><h1>Patchbay</h1><p>${text}</p></body></html>`;
const headers = {
  "Content-Type": "text/html; charset=utf-8",
  "Cache-Control": "no-store",
  "Referrer-Policy": "no-referrer",
  "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'",
};

/** On the loopback address only, on a port of the system's choice. */
async function listen(bring: (brought: string) => void): Promise<Listener> {
  const { createServer } = await import("node:http");
  const listener = createServer((request, response) => {
    const query = URL.parse(request.url ?? "/", "http://127.0.0.1")?.searchParams;
    const code = query?.get("code") ?? "";
    const isDenied = query?.get("denied") === "1";
    const isCode = /^[\w-]{43}$/.test(code);
    if (request.method !== "GET" || !(isCode || isDenied)) {
      response.writeHead(404, headers).end(page("There is nothing here."));
      return;
    }
    const text = isCode
      ? "The command line goes on. You can close this page."
      : "The login was denied. You can close this page.";
    // Whoever waits goes on once the browser has its page.
    response.writeHead(200, headers).end(page(text), () => bring(isCode ? code : "denied"));
  });
  await new Promise<void>((resolve, reject) => {
    listener.once("error", reject);
    listener.listen(0, "127.0.0.1", resolve);
  });
  return listener;
}

function portOf(listener: Listener): number {
  const address = listener.address();
  if (address === null || typeof address === "string") throw new TypeError("the listener has no port");
  return address.port;
}
