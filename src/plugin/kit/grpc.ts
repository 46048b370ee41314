/**
 * gRPC for drivers: calls over one connection that the service opens and watches. Messages are bytes: any library for
 * protocol buffers can make and read them.
 */
import type { TlsOptions } from "./http.ts";
import type { Context } from "./kit.ts";

export interface GrpcKit {
  /**
   * Resolves the name once, checks the address against the operator's policy and the caller's key, connects, and waits
   * for the server's first frame.
   * @throws PluginError ConnectionTimeout, ConnectionRefused, ConnectionLost, Forbidden; HostUnreachable or DriverError
   * if TLS or HTTP/2 did not come about, with `detail.reason` (`GrpcRefusal`)
   */
  connect(to: GrpcTarget, ctx: Context): Promise<GrpcConnection>;
}

export interface GrpcTarget {
  readonly host: string;
  readonly port: number;
  /** Until the server's first frame. */
  readonly connectTimeoutMs: number;
  /** Absent: in clear. */
  readonly tls?: GrpcTls;
  /** Sent with each call. Names in lower case; a name that ends in `-bin` has bytes in base64. */
  readonly metadata?: Readonly<Record<string, string>>;
}

export interface GrpcTls extends TlsOptions {
  /**
   * SHA-256 of the server's certificate as hexadecimal digits, with or without colons. Then this certificate and no other
   * is accepted, whoever signed it and whatever names and dates it has.
   */
  readonly fingerprint?: string;
}

/** Why a server and we do not understand each other: `detail.reason`. */
export type GrpcRefusal =
  | "unknown_ca"
  | "wrong_name"
  | "expired"
  | "other_certificate"
  | "client_certificate"
  | "tls_version"
  | "no_tls"
  | "wants_tls"
  | "no_http2";

export interface GrpcCallOptions {
  /** Until the call has ended; the server is told. Default 30 s. The deadline of the task always applies. */
  readonly timeoutMs?: number;
  /** Maximum size of one message; default 32 MiB. */
  readonly maxMessageBytes?: number;
  /** Maximum size of all messages of the call; default: that of one message. */
  readonly maxBytes?: number;
}

/**
 * A status other than OK is thrown as PluginError with `grpc_status`, its number, in the detail: AuthenticationFailed for
 * 16, ReadTimeout for 4, ConnectionLost for 14, otherwise CommandError. Calls also throw ConnectionLost, ReadTimeout,
 * OutputTooLarge and DriverError (the server breaks the protocol); `outcome: "none"` if the server says that it did not
 * begin with the call.
 */
export interface GrpcConnection {
  /**
   * A call with one message each way.
   * @param method such as `/gnmi.gNMI/Get`
   */
  unary(method: string, message: Uint8Array, options: GrpcCallOptions, ctx: Context): Promise<Uint8Array>;
  /** A call with any number of messages each way. */
  call(method: string, options: GrpcCallOptions, ctx: Context): GrpcCall;
  /** False once it takes no more calls. */
  alive(): boolean;
  /** Called once if the connection ends without `close`. */
  onLost(listener: () => void): void;
  /** Ends calls that are open. Never rejects. */
  close(): Promise<void>;
}

export interface GrpcCall {
  send(message: Uint8Array): void;
  /** Nothing more will be sent. */
  finish(): void;
  /** Read once. Ends after status OK; leaving the loop cancels the call. */
  readonly messages: AsyncIterable<Uint8Array>;
  /** Ends the call at once; its messages end too. */
  cancel(): void;
}
