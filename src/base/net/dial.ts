/** Opens a TCP connection within a timeout and maps failures to the service's errors. */
import { lookup } from "node:dns/promises";
import { createConnection, type Socket, type TcpSocketConnectOpts } from "node:net";
import { ServiceError } from "../errors.ts";
import { requireDescriptor } from "../files/descriptors.ts";
import { ownedBy } from "../share/back-pressure.ts";
import { abortReason, within } from "../time/deadline.ts";
import { bareHost } from "./address-spelling.ts";

export interface Endpoint {
  readonly host: string;
  readonly port: number;
}

/** What may be dialled on behalf of a caller. */
export interface DialRule {
  /** False: no restrictions. */
  readonly limited: boolean;
  /** The key on whose behalf: the devices of all keys share a thread in turn. */
  readonly whose?: string | undefined;
  /**
   * Checks the resolved addresses; exactly these are dialled afterwards.
   * @throws ServiceError Forbidden
   */
  addresses(host: string, addresses: readonly string[]): void;
  /**
   * Checks a host that a jump host resolves, so only the given text can be checked.
   * @throws ServiceError Forbidden
   */
  stated(host: string): void;
  /** Whether to store a host key presented over this path. */
  keepsHostKey(throughHop: boolean): boolean;
  /**
   * Waits until these jump hosts, the nearest first, may be logged in to. Absent: nobody guards their accounts.
   * @throws ServiceError AuthBackoff
   */
  enterHops?(logins: readonly { readonly host: string; readonly user: string }[]): Promise<unknown>;
}

export interface Address {
  readonly address: string;
  readonly family: number;
}

/** Resolves a name to all its addresses. */
export type Lookup = (name: string) => Promise<Address[]>;
const lookUp: Lookup = (name) => lookup(name, { all: true });

/**
 * Returns a connected socket with TCP_NODELAY (Nagle's algorithm costs 45 ms per login). The caller owns it.
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
  const addresses = rule?.limited
    ? await within(checked(looked, rule, find), timeoutMs, signal, late)
    : undefined;
  const socket = createConnection({
    host,
    port: to.port,
    noDelay: true,
    ...(addresses ? pinned(addresses) : {}),
  });
  if (rule?.whose !== undefined) ownedBy(socket, rule.whose);
  const connected = new Promise<Socket>((resolve, reject) => {
    socket.once("connect", () => resolve(socket));
    // Kept for the life of the socket: an error without a listener would end the process.
    socket.on("error", (error) => reject(networkError(error, to)));
    socket.once("close", () => reject(networkError(undefined, to)));
  });
  try {
    const leftMs = Math.max(0, timeoutMs - (performance.now() - startedAt));
    return await within(connected, leftMs, signal, late);
  } catch (error) {
    socket.destroy();
    // If descriptors ran out in the meantime, the runtime's error about the device is wrong.
    requireDescriptor();
    throw error;
  }
}

/** Resolves only once: the name cannot change its address between the check and the dial (DNS rebinding). */
async function checked(to: Endpoint, rule: DialRule, find: Lookup): Promise<Address[]> {
  const { host } = to;
  const addresses = await find(host).catch((error) => {
    throw networkError(error, to);
  });
  if (addresses.length === 0)
    throw networkError(Object.assign(new Error("no address"), { code: "ENOTFOUND" }), to);
  rule.addresses(
    host,
    addresses.map(({ address }) => address),
  );
  return addresses;
}

function pinned(addresses: readonly Address[]): Pick<TcpSocketConnectOpts, "host" | "lookup"> {
  const [first] = addresses;
  if (addresses.length === 1 && first) return { host: first.address };
  const lookup: TcpSocketConnectOpts["lookup"] = (_name, options, callback) =>
    options.all ? callback(null, [...addresses]) : callback(null, first?.address ?? "", first?.family);
  return { lookup };
}

/** `afterMs` is the caller's timeout for the whole connection, not the remaining time. */
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

/** Maps a socket error of the system to a ServiceError. */
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
