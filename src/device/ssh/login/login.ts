/** One SSH login over an open stream: handshake, host key, authentication, each with its own time limit. */
import type { Duplex } from "node:stream";
import { ServiceError } from "../../../base/errors.ts";
import { connectionTimeout, networkError } from "../../../base/net/dial.ts";
import { joinWrites } from "../../../base/net/join-writes.ts";
import { abortReason, within } from "../../../base/time/deadline.ts";
import type { AcceptedHostKey, NegotiatedAlgorithms, SshTarget } from "../../../plugin/kit/ssh.ts";
import { Client, type ConnectConfig } from "../ssh2.ts";
import { watchIncoming } from "../transfer/incoming.ts";
import { algorithmsFor, noCommonAlgorithm } from "./algorithms.ts";
import { type Credentials, type LoginPlan, planLogin } from "./auth.ts";
import { sendCertificates } from "./certified-key.ts";
import type { HostKeyCheck } from "./hostkey.ts";
import { type Opening, watchOpening } from "./opening.ts";
import { connectionLost, where } from "./target.ts";

export interface LoggedIn {
  readonly client: Client;
  readonly hostKey: AcceptedHostKey;
  readonly algorithms: NegotiatedAlgorithms;
  /** The server's identification line. */
  readonly software: string;
  /** Whether the server uses strict key exchange (against prefix truncation). */
  readonly strictKex: boolean;
  /** Bytes received from the server so far. */
  heard(): number;
}

/** @param leftMs remainder of `connectTimeoutMs` */
export async function login(
  stream: Duplex,
  target: SshTarget,
  credentials: Credentials,
  check: HostKeyCheck,
  leftMs: () => number,
  signal: AbortSignal,
): Promise<LoggedIn> {
  const client = new Client();
  const identification = gate();
  const authentication = gate();
  let proved: Promise<AcceptedHostKey> | undefined;
  let agreed: NegotiatedAlgorithms = { kex: "", hostKey: "", cipher: "", mac: "" };
  const plan: LoginPlan = planLogin(credentials, authentication.open, (question) =>
    fail(question === undefined ? asksOn(target) : hasNoAnswer(target, question, plan)),
  );
  const opening = watchOpening(identification.open);
  let fail: (error: ServiceError) => void = () => {};
  const ready = new Promise<void>((resolve, reject) => {
    fail = (error) => {
      reject(error);
      client.destroy();
      stream.destroy();
    };
    client.once("ready", resolve);
    // Stays for the life of the client: an error without a listener would end the process.
    const end = (error?: Error & { level?: string }) => {
      const explained = explain(error, { target, opening, plan, check });
      if (incoming.bytes() === 0 && explained.kind === "ConnectionLost") busy.set(explained, "shut");
      reject(explained);
    };
    client.on("error", (error: Error & { level?: string }) => {
      if (isFinal(error)) end(error);
    });
    client.once("close", () => end());
    client.once("handshake", ({ kex, serverHostKey, cs }) => {
      agreed = { kex, hostKey: serverHostKey, cipher: cs.cipher, mac: cs.mac };
      skipHostKeyProofs(client, opening.software() ?? "");
      proved = check.proved();
      proved.catch(fail);
    });
    client.once("change password", () =>
      fail(
        new ServiceError(
          "AuthenticationFailed",
          `The password of ${target.username}@${target.host} has expired`,
        ),
      ),
    );
  });
  // Each phase awaits `ready`; this prevents an unhandled rejection before the first of them.
  ready.catch(() => {});
  const incoming = watchIncoming(stream, opening, () =>
    fail(new ServiceError("DriverError", `${where(target)} keeps sending data before the login`)),
  );
  joinWrites(stream);
  const ofLogin: { plan: LoginPlan | undefined } = { plan };
  try {
    const algorithms = algorithmsFor(target.profile, check.knownTypes, target.compress ?? false);
    connectWithOffer(client, configOf(stream, target, check, ofLogin), algorithms);
    sendCertificates(client);
    const phase = (promise: Promise<void>, limitMs: number, saysMs: number, name: string) => {
      if (signal.aborted) throw abortReason(signal);
      const late = () => connectionTimeout(target, saysMs, name);
      return within(Promise.race([promise, ready]), limitMs, signal, late);
    };
    const bannerMs = Math.min(target.bannerTimeoutMs ?? Number.POSITIVE_INFINITY, leftMs());
    const total = target.connectTimeoutMs;
    await phase(identification.opened, bannerMs, target.bannerTimeoutMs ?? total, "banner");
    await phase(authentication.opened, leftMs(), total, "handshake");
    await phase(ready, target.authTimeoutMs ?? leftMs(), target.authTimeoutMs ?? total, "authentication");
    incoming.trust();
    const hostKey = await (proved ?? check.proved());
    ofLogin.plan = undefined;
    forgetLogin(client);
    return {
      client,
      hostKey,
      algorithms: agreed,
      software: opening.software() ?? "",
      strictKex: opening.offer()?.strictKex ?? false,
      heard: incoming.bytes,
    };
  } catch (error) {
    client.destroy();
    stream.destroy();
    throw error;
  }
}

function asksOn(target: SshTarget): ServiceError {
  return new ServiceError("AuthenticationFailed", `${where(target)} keeps asking questions`);
}

function hasNoAnswer(target: SshTarget, question: string, plan: LoginPlan): ServiceError {
  const { host, username } = target;
  return new ServiceError(
    "AuthenticationFailed",
    `${where(target)} asks ${username}: "${question}". No answer is given for that: a code for a second factor in connection_args.otp, any other text in connection_args.answers (for a jump host in proxy_otp and proxy_answers, or in its entry). Nothing was sent`,
    { host, username, question, ...plan.story() },
  );
}

/** Releases what only the login needed: a kept session holds neither its attempts nor its secrets. */
function forgetLogin(client: Client): void {
  for (const event of ["error", "close", "handshake", "change password"]) client.removeAllListeners(event);
  // An error without a listener would end the process, even before the connection listens.
  client.on("error", ignore);
  const { _protocol: protocol } = client as { _protocol?: { _kex?: { _keys?: unknown } } };
  // Keys of this exchange; a rekey derives its own.
  if (protocol?._kex?._keys) protocol._kex._keys = undefined;
}

const ignore = () => {};

function configOf(
  stream: Duplex,
  target: SshTarget,
  check: HostKeyCheck,
  ofLogin: { readonly plan: LoginPlan | undefined },
): ConnectConfig {
  return {
    sock: stream,
    username: target.username,
    hostVerifier: (key: Buffer) => check.verify(key),
    authHandler: (accepted: string[] | null, partial: boolean | null, go) =>
      // The types of ssh2 lack `false`, which means that no attempt is left.
      ofLogin.plan?.next(accepted, partial, go as (attempt: unknown) => void),
    keepaliveInterval: target.keepaliveMs ?? 0,
    // ssh2 only sends the probes; silence.ts does the counting.
    keepaliveCountMax: Number.MAX_SAFE_INTEGER,
    // Disabled in favour of our own limits: this timer would also end a login that waits for a second factor.
    readyTimeout: 0,
  };
}

/** ssh2 reports problems of the agent or of one key and continues with the next attempt. */
const isFinal = (error: Error & { level?: string }) =>
  error.level !== "agent" && !/^Error (while )?signing/.test(error.message);

/** Sent by sshd instead of its identification line while too many others log in. */
const tooManyLogins = /MaxStartups/;
const busy = new WeakMap<ServiceError, "said" | "shut">();

/**
 * Whether the server accepted nobody at that moment, before any attempt of the login. It either said so, or closed the
 * connection before its first byte, as older versions of sshd do.
 */
export function howBusy(error: unknown): "said" | "shut" | undefined {
  return error instanceof ServiceError ? busy.get(error) : undefined;
}

interface Circumstances {
  readonly target: SshTarget;
  readonly opening: Opening;
  readonly plan: LoginPlan;
  readonly check: HostKeyCheck;
}

function explain(error: (Error & { level?: string }) | undefined, about: Circumstances): ServiceError {
  return about.check.refusal() ?? explainLogin(error, about) ?? explainHandshake(error, about);
}

function explainLogin(
  error: (Error & { level?: string }) | undefined,
  { target, plan }: Circumstances,
): ServiceError | undefined {
  const errorText = error?.message ?? "";
  const isGone = errorText === "" || error?.level === "client-socket";
  // Some devices disconnect instead of refusing a second time.
  const hungUp = isGone && plan.story().tried.length > 1;
  const saysSo = plan.begun() && /authentication fail/i.test(errorText);
  if (error?.level !== "client-authentication" && !saysSo && !hungUp) return undefined;
  const doubts = plan.doubts.length > 0 ? `: ${plan.doubts.join("; ")}` : "";
  const message = `Authentication failed for ${target.username}@${target.host}${doubts}`;
  const { host, username } = target;
  return new ServiceError(
    "AuthenticationFailed",
    message,
    { host, username, ...plan.story() },
    { cause: error },
  );
}

function explainHandshake(
  error: (Error & { level?: string }) | undefined,
  { target, opening }: Circumstances,
): ServiceError {
  const errorText = error?.message ?? "";
  const options = { cause: error };
  if (/no matching/i.test(errorText)) return noCommonAlgorithm(errorText, target, opening.offer());
  if (opening.software() === undefined && opening.otherWords() !== "") {
    if (tooManyLogins.test(opening.otherWords())) return tooBusy(target, opening.otherWords(), options);
    const message = `${where(target)} answers "${opening.otherWords()}" where SSH was expected`;
    return new ServiceError("DriverError", message, undefined, options);
  }
  if (/identification string/i.test(errorText)) {
    const message = `${where(target)} speaks a version of SSH that is not supported (${opening.software()})`;
    return new ServiceError("DriverError", message, undefined, options);
  }
  if (error?.level === "client-socket") return networkError(error, target);
  if (errorText === "" || /lost before handshake/i.test(errorText)) return connectionLost(target, error);
  const message = `${where(target)} ended the login: ${errorText}`;
  return new ServiceError("ConnectionLost", message, undefined, options);
}

function tooBusy(target: SshTarget, words: string, options: { cause: unknown }): ServiceError {
  const message = `Connection refused by ${where(target)}: ${words}`;
  const error = new ServiceError("ConnectionRefused", message, { outcome: "none" }, options);
  busy.set(error, "said");
  return error;
}

function gate(): { opened: Promise<void>; open: () => void } {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { opened: promise, open: resolve };
}

/** Shares the serialized algorithm offer between logins with the same offer: ssh2 builds and keeps one per client. */
type Algorithms = NonNullable<ConnectConfig["algorithms"]>;

/** Profiles, each with and without compression and with the known key types first. */
const offers = new Map<string, object>();
const keptAtMost = 64;

/** Non-public parts of ssh2. */
interface Protocol {
  _offer?: object;
}

/** Like `client.connect`, with shared algorithm lists: saves seven kilobytes and 40 objects per session. */
function connectWithOffer(client: Client, config: ConnectConfig, algorithms: Algorithms): void {
  const key = JSON.stringify(algorithms);
  client.connect({ ...config, algorithms });
  const { _protocol: protocol } = client as { _protocol?: Protocol };
  if (typeof protocol?._offer !== "object") return;
  const shared = offers.get(key);
  // The offer is sent once the server's identification line has arrived, and never modified.
  if (shared !== undefined) protocol._offer = shared;
  else if (offers.size < keptAtMost) offers.set(key, protocol._offer);
}

/** Answers OpenSSH's announcement of its other host keys without extra latency. */
const announcement = "hostkeys-00@openssh.com";

type OnRequest = (protocol: unknown, name: string, wantsReply: boolean, data: unknown) => void;

/**
 * By default ssh2 asks the server to prove those keys, and nothing here uses the result: one signature per key, which
 * is slow on old devices. Not answering is slow too: the server sends its next packet only after the announcement is
 * acknowledged (Nagle), and our side delays the ACK by 40 ms while it has nothing to send. So this module sends a
 * request that needs no reply: it cancels a port forwarding that does not exist.
 * A login and its shell on loopback: 76 ms with the proof, 76 ms without an answer, 36 ms with this request.
 */
function skipHostKeyProofs(client: Client, software: string): void {
  const handlers = requestHandlers(client);
  const original = handlers?.GLOBAL_REQUEST;
  if (handlers === undefined || original === undefined) return;
  handlers.GLOBAL_REQUEST = (protocol, name, wantsReply, data) => {
    if (name !== announcement || wantsReply) return original(protocol, name, wantsReply, data);
    // Other servers may treat the missing forwarding as an error.
    if (/^SSH-2\.0-OpenSSH/.test(software)) client.unforwardIn("127.0.0.1", 0);
  };
}

/** Not public in ssh2. If a version lacks it, ssh2's default behaviour applies. */
function requestHandlers(client: Client): { GLOBAL_REQUEST?: OnRequest } | undefined {
  const { _protocol: protocol } = client as { _protocol?: { _handlers?: { GLOBAL_REQUEST?: OnRequest } } };
  return protocol?._handlers;
}
