/** Options and interface of an HTTP server on either runtime. */

export interface Listen {
  readonly hostname?: string;
  readonly port?: number;
  readonly unix?: string;
  /** File mode of the Unix socket. */
  readonly mode?: number;
  /** Group id of the Unix socket. */
  readonly group?: number;
}

/** A certificate and its key, in PEM form. */
export interface TlsIdentity {
  readonly cert: string;
  readonly key: string;
  /** Callers must present a certificate issued by one of these CAs. */
  readonly clientCa?: string;
  /** Client certificates are optional. */
  readonly clientOptional?: boolean;
}

/** A caller's certificate, issued by a trusted CA. */
export interface ShownCertificate {
  /** SHA-256 as 64 hexadecimal digits. */
  readonly fingerprint: string;
  /** Milliseconds since 1970. */
  readonly endsAt: number;
  /** The certificate itself, in DER form. */
  readonly raw: Buffer;
}

/** Maximum number of concurrent connections. */
export interface ConnectionLimits {
  readonly inAll: number;
  readonly perAddress: number;
}

export interface ServeOptions {
  readonly listen: Listen;
  /** HTTPS; not on a Unix socket. */
  readonly tls?: TlsIdentity;
  /** Limit enforced by the runtime itself, without the envelope. */
  readonly maxBodyBytes: number;
  /** The node's private folder; needed with client CAs only. */
  readonly privateFolder?: string;
  /** Limits of connections whose TLS the service terminates, that is with client CAs. */
  readonly connections?: ConnectionLimits;
  /** A connection from this address was closed to stay within the limits. */
  onFull?(from: string): void;
  fetch(request: Request, from: string | null, connection: Connection): Response | Promise<Response>;
}

/** Facts of a request's connection besides the address. */
export interface Connection extends IdleLimit {
  /** TLS is terminated in front of us, so the request's URL does not show it. */
  readonly secure?: boolean;
  /** Fingerprint of the caller's certificate, while it is valid. */
  readonly certificate?: string;
}

/** Controls the idle timeout of a request's connection. */
export interface IdleLimit {
  /** Disables it while the answer is prepared. */
  extendTimeout(): void;
  /** Restores it once the answer is ready to be read. */
  restoreTimeout(): void;
}

/** A listening server on either runtime. */
export interface Listener {
  readonly port?: number;
  /** Requests not yet answered. */
  readonly pendingRequests: number;
  /** Stops accepting connections; open ones end after their responses, or immediately. */
  stop(now?: boolean): Promise<void>;
}
