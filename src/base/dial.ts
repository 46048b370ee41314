/** Opens a TCP connection within a time, and says in the service's words why one failed. */
import { createConnection, type Socket } from "node:net";
import { abortReason, within } from "./deadline.ts";
import { ServiceError } from "./errors.ts";

export interface Endpoint {
  readonly host: string;
  readonly port: number;
}

/**
 * A connected socket without Nagle's delay (which costs 45 ms a login). The caller owns it.
 * @throws ServiceError ConnectionTimeout, ConnectionRefused, HostUnreachable, ConnectionLost
 */
export async function dial(to: Endpoint, timeoutMs: number, signal: AbortSignal): Promise<Socket> {
  if (signal.aborted) throw abortReason(signal);
  const socket = createConnection({ host: to.host, port: to.port, noDelay: true });
  const connected = new Promise<Socket>((resolve, reject) => {
    socket.once("connect", () => resolve(socket));
    // Stays for the life of the socket: an error without a listener would end the process.
    socket.on("error", (error) => reject(networkError(error, to)));
    socket.once("close", () => reject(networkError(undefined, to)));
  });
  try {
    return await within(connected, timeoutMs, signal, () => connectionTimeout(to, timeoutMs));
  } catch (error) {
    socket.destroy();
    throw error;
  }
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
