/** The stream under a gRPC connection: TCP, or TLS on it, and why it did not come about. */
import type { Socket } from "node:net";
import { connect as connectTls, type TLSSocket } from "node:tls";
import { messageOf, ServiceError } from "../../base/errors.ts";
import type { ByteStream } from "../../base/net/byte-stream.ts";
import {
  connectionTimeout,
  type DialRule,
  dial,
  type Endpoint,
  type Lookup,
  networkError,
} from "../../base/net/dial.ts";
import { applyBackPressure, heldMs, holdReading, ownedBy } from "../../base/share/back-pressure.ts";
import { onAbort, pause, type TimeLimit, within } from "../../base/time/deadline.ts";
import type { GrpcRefusal, GrpcTls } from "../../plugin/index.ts";

export interface StreamTarget extends Endpoint {
  readonly connectTimeoutMs: number;
  readonly tls?: GrpcTls | undefined;
}

/** How long a server may take to answer our close. */
const goodbyeMs = 500;
const keepAliveMs = 60_000;

/** @throws ServiceError as `GrpcKit.connect` */
export async function openStream(
  to: StreamTarget,
  { signal }: Pick<TimeLimit, "signal">,
  rule: DialRule,
  find: Lookup,
): Promise<ByteStream> {
  const startedAt = performance.now();
  const socket = await dial(to, to.connectTimeoutMs, signal, rule, find);
  socket.setKeepAlive(true, keepAliveMs);
  if (to.tls === undefined) return streamOf(socket, to);
  const leftMs = Math.max(0, to.connectTimeoutMs - (performance.now() - startedAt));
  const secured = secure(socket, to, to.tls);
  if (rule.whose !== undefined) ownedBy(secured.socket, rule.whose);
  try {
    await within(secured.ready, leftMs, signal, () => connectionTimeout(to, to.connectTimeoutMs, "tls"));
    return streamOf(secured.socket, to);
  } catch (error) {
    secured.socket.destroy();
    socket.destroy();
    throw error;
  }
}

function secure(socket: Socket, to: StreamTarget, tls: GrpcTls) {
  const { fingerprint, serverName, verify = true, ...options } = tls;
  const secured = connectTls({
    ...options,
    socket,
    host: to.host.replace(/^\[(.*)\]$/, "$1"),
    ALPNProtocols: ["h2"],
    rejectUnauthorized: verify && fingerprint === undefined,
    ...(serverName === undefined ? {} : { servername: serverName }),
  });
  const ready = new Promise<void>((resolve, reject) => {
    secured.on("error", (error: unknown) => reject(tlsFault(error, to)));
    secured.once("close", () => reject(tlsFault(undefined, to)));
    secured.once("secureConnect", () => {
      const fault = certificateFault(secured, fingerprint, to);
      if (fault === undefined) resolve();
      else reject(fault);
    });
  });
  return { socket: secured, ready };
}

const digits = (fingerprint: string) =>
  fingerprint
    .replace(/^sha256:/i, "")
    .replaceAll(":", "")
    .toLowerCase();

function certificateFault(
  socket: TLSSocket,
  fingerprint: string | undefined,
  to: Endpoint,
): ServiceError | undefined {
  if (fingerprint !== undefined) {
    const found = socket.getPeerCertificate().fingerprint256 ?? "";
    if (digits(found) !== digits(fingerprint))
      return refused(
        to,
        "other_certificate",
        `has another certificate than the one that is pinned: ${found}`,
      );
  }
  const { alpnProtocol } = socket;
  if (typeof alpnProtocol === "string" && alpnProtocol !== "" && alpnProtocol !== "h2")
    return refused(to, "no_http2", `agreed to ${alpnProtocol.slice(0, 40)} and not to HTTP/2`);
  return undefined;
}

/** What the error codes of all runtimes have in common, and the words for it. */
const reasons: readonly (readonly [RegExp, GrpcRefusal, string])[] = [
  [/CERT_HAS_EXPIRED|CERT_NOT_YET_VALID/, "expired", "has a certificate that is not valid now"],
  [/ALTNAME_INVALID/, "wrong_name", "has a certificate of another name"],
  [
    /SELF_SIGNED|UNABLE_TO_(?:VERIFY|GET_ISSUER)|CERT_UNTRUSTED|INVALID_CA|CERT_SIGNATURE/,
    "unknown_ca",
    "has a certificate of a CA that is not known here",
  ],
  [
    /ALERT_(?:CERTIFICATE_REQUIRED|UNKNOWN_CA|BAD_CERTIFICATE|CERTIFICATE_UNKNOWN|CERTIFICATE_EXPIRED|ACCESS_DENIED)|HANDSHAKE_FAILURE/,
    "client_certificate",
    "did not accept our side of the TLS handshake; it may require a client certificate, or another one",
  ],
  [/ALERT_PROTOCOL_VERSION|UNSUPPORTED_PROTOCOL/, "tls_version", "and we have no version of TLS in common"],
  [
    /WRONG_VERSION_NUMBER|HTTP_REQUEST|PACKET_LENGTH_TOO_LONG|INVALID_RECORD|UNEXPECTED_MESSAGE/,
    "no_tls",
    "does not speak TLS on this port",
  ],
];

/** Of an error of the TLS layer, during the handshake or, of TLS 1.3, behind it. */
function tlsFault(error: unknown, to: Endpoint): ServiceError {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  const text = `${code} ${error === undefined ? "" : messageOf(error)}`.toUpperCase().replaceAll(" ", "_");
  const found = reasons.find(([pattern]) => pattern.test(text));
  if (found === undefined) return networkError(error, to);
  const [, reason, words] = found;
  const why = reason === "wrong_name" && error !== undefined ? ` (${messageOf(error).slice(0, 300)})` : "";
  return refused(to, reason, `${words}${why}`, error);
}

function refused(to: Endpoint, reason: GrpcRefusal, words: string, cause?: unknown): ServiceError {
  const kind = reason === "no_tls" || reason === "no_http2" ? "DriverError" : "HostUnreachable";
  return new ServiceError(
    kind,
    `${to.host}:${to.port} ${words}.`,
    { outcome: "none", reason },
    cause === undefined ? {} : { cause },
  );
}

function streamOf(socket: Socket | TLSSocket, to: StreamTarget): ByteStream {
  const closed = new AbortController();
  let error: ServiceError | undefined;
  let isOurs = false;
  const settle = () => closed.abort();

  socket.on("error", (cause) => {
    if (!isOurs) error ??= to.tls === undefined ? networkError(cause, to) : tlsFault(cause, to);
  });
  socket.on("close", settle);
  if (socket.destroyed) settle();

  return {
    write(data) {
      if (!closed.signal.aborted) socket.write(data);
    },
    onData(listener) {
      socket.on("data", (chunk: Buffer) => {
        applyBackPressure(socket);
        listener(chunk);
      });
    },
    onClose(listener) {
      onAbort(closed.signal, () => listener(error));
    },
    async end() {
      if (closed.signal.aborted) return;
      isOurs = true;
      socket.end();
      socket.resume();
      if (!closed.signal.aborted) await pause(goodbyeMs, closed.signal);
      socket.destroy();
      settle();
    },
    destroy() {
      isOurs = true;
      socket.destroy();
      settle();
    },
    hold: () => holdReading(socket),
    heldMs: () => heldMs(socket),
  };
}
