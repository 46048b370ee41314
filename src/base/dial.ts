/** Opens a TCP connection within a time, and says in the service's words why one failed. */
import { lookup } from "node:dns/promises";
import { createConnection, type Socket, type TcpSocketConnectOpts } from "node:net";
import { bareHost } from "./address-spelling.ts";
import { abortReason, within } from "./deadline.ts";
import { requireDescriptor } from "./descriptors.ts";
import { ServiceError } from "./errors.ts";

export interface Endpoint {
  readonly host: string;
  readonly port: number;
}

/** What may be dialled for the one who asked. */
export interface DialRule {
  /** False: everything. */
  readonly limited: boolean;
  /** @throws ServiceError Forbidden. What is dialled afterwards is one of these addresses. */
  addresses(host: string, addresses: readonly string[]): void;
  /** For a host that a jump host looks up: only what stands there counts. @throws ServiceError Forbidden */
  stated(host: string): void;
  /** Whether a host key that was shown on this way is remembered. */
  keepsHostKey(throughHop: boolean): boolean;
}

export interface Address {
  readonly address: string;
  readonly family: number;
}

/** All addresses of a name. */
export type Lookup = (name: string) => Promise<Address[]>;
const lookUp: Lookup = (name) => lookup(name, { all: true });

/**
 * A connected socket without Nagle's delay (which costs 45 ms a login). The caller owns it.
 * @throws ServiceError ConnectionTimeout, ConnectionRefused, HostUnreachable, ConnectionLost, ResourceExhausted
 */
export async function dial(
  to: Endpoint,
  timeoutMs: number,
  signal: AbortSignal,
  rule?: DialRule,
  find: Lookup = lookUp,
): Promise<Socket> {
  if (signal.aborted) throw abortReason(signal);
  requireDescriptor();
  const startedAt = performance.now();
  const late = () => connectionTimeout(to, timeoutMs);
  const host = bareHost(to.host);
  const looked = { ...to, host };
  const found = rule?.limited
    ? await within(checked(looked, rule, find), timeoutMs, signal, late)
    : undefined;
  const socket = createConnection({
    host,
    port: to.port,
    noDelay: true,
    ...(found ? pinned(found) : {}),
  });
  const connected = new Promise<Socket>((resolve, reject) => {
    socket.once("connect", () => resolve(socket));
    // Stays for the life of the socket: an error without a listener would end the process.
    socket.on("error", (error) => reject(networkError(error, to)));
    socket.once("close", () => reject(networkError(undefined, to)));
  });
  try {
    const leftMs = Math.max(0, timeoutMs - (performance.now() - startedAt));
    return await within(connected, leftMs, signal, late);
  } catch (error) {
    socket.destroy();
    // Taken meanwhile by others: what the runtime says of the device then is not true.
    requireDescriptor();
    throw error;
  }
}

/** Looked up once: between the check and the dial a name can not come to mean another address. */
async function checked(to: Endpoint, rule: DialRule, find: Lookup): Promise<Address[]> {
  const { host } = to;
  const found = await find(host).catch((error) => {
    throw networkError(error, to);
  });
  if (found.length === 0)
    throw networkError(Object.assign(new Error("no address"), { code: "ENOTFOUND" }), to);
  rule.addresses(
    host,
    found.map(({ address }) => address),
  );
  return found;
}

function pinned(found: readonly Address[]): Pick<TcpSocketConnectOpts, "host" | "lookup"> {
  const [first] = found;
  if (found.length === 1 && first) return { host: first.address };
  const lookup: TcpSocketConnectOpts["lookup"] = (_name, options, done) =>
    options.all ? done(null, [...found]) : done(null, first?.address ?? "", first?.family);
  return { lookup };
}

/** `afterMs` is what the caller allowed for the whole connection, not what was left of it. */
export function connectionTimeout(to: Endpoint, afterMs: number, phase = "connect"): ServiceError {
  const message = `Connection to ${to.host}:${to.port} timed out after ${afterMs / 1000} seconds`;
  return new ServiceError("ConnectionTimeout", message, { phase });
}

const unreachable: Readonly<Record<string, string>> = {
  EHOSTUNREACH: "No route to",
  ENETUNREACH: "No route to",
  EHOSTDOWN: "No route to",
  EADDRNOTAVAIL: "No route to",
  EACCES: "Not permitted to connect to",
  EPERM: "Not permitted to connect to",
};

/** What the system said about a socket, as an error of ours. */
export function networkError(error: unknown, to: Endpoint): ServiceError {
  const code = errorCode(error);
  const where = `${to.host}:${to.port}`;
  const options = { cause: error };
  if (code === "ECONNREFUSED") {
    return new ServiceError("ConnectionRefused", `Connection refused by ${where}`, undefined, options);
  }
  if (code === "ETIMEDOUT") {
    return new ServiceError("ConnectionTimeout", `Connection to ${where} timed out`, undefined, options);
  }
  const why = unreachable[code];
  if (why) return new ServiceError("HostUnreachable", `${why} ${where}`, undefined, options);
  if (/ENOTFOUND|EAI_|ENODATA|ESERVFAIL|EBADNAME/.test(code)) {
    return new ServiceError("HostUnreachable", `Host name ${to.host} cannot be resolved`, undefined, options);
  }
  return new ServiceError("ConnectionLost", `Connection to ${where} was lost`, undefined, options);
}

function errorCode(error: unknown): string {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "";
}
