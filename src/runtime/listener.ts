/** What an HTTP server is given and gives, on either runtime. */

export interface Listen {
  readonly hostname?: string;
  readonly port?: number;
  readonly unix?: string;
  /** Of the Unix socket. */
  readonly mode?: number;
  /** Number of the group that the Unix socket belongs to. */
  readonly group?: number | undefined;
}

/** A certificate with its key, in PEM form. */
export interface TlsIdentity {
  readonly cert: string;
  readonly key: string;
  /** Callers must show a certificate of one of these authorities. */
  readonly clientCa?: string;
  /** They may show none. */
  readonly clientOptional?: boolean;
}

/** A certificate of a caller, of an authority that counts. */
export interface ShownCertificate {
  /** SHA-256, 64 hexadecimal digits. */
  readonly fingerprint: string;
  /** Milliseconds since 1970. */
  readonly endsAt: number;
}

/** How many connections are held at once. */
export interface ConnectionLimits {
  readonly inAll: number;
  readonly perAddress: number;
}

export interface ServeOptions {
  readonly listen: Listen;
  /** HTTPS; not on a Unix socket. */
  readonly tls?: TlsIdentity | undefined;
  /** What the runtime refuses by itself, without the envelope. */
  readonly maxBodyBytes: number;
  /** Where this node keeps what is its own: with authorities for callers' certificates only. */
  readonly privateFolder?: string;
  /** Of those whose TLS ends in the service: with authorities for callers' certificates. */
  readonly connections?: ConnectionLimits;
  /** A connection of this address was cut, since there is no room for it. */
  onFull?(from: string): void;
  fetch(request: Request, from: string | null, connection: Connection): Response | Promise<Response>;
}

/** What is known of the connection of a request besides where it comes from. */
export interface Connection extends IdleLimit {
  /** TLS has ended before: the request's own URL does not tell. */
  readonly secure?: boolean;
  /** Fingerprint of the certificate that the caller showed, while it is in force. */
  readonly certificate?: string | undefined;
}

/** How long the connection of a request may be idle. */
export interface IdleLimit {
  /** For ever: its answer takes its time. */
  extendTimeout(): void;
  /** As any other: its answer is there, and wants to be read. */
  restoreTimeout(): void;
}

/** What listens, on either runtime. */
export interface Listener {
  readonly port?: number | undefined;
  /** Whose answers are owed. */
  readonly pendingRequests: number;
  /** Takes no more connections; those that are there end with their answers, or now. */
  stop(now?: boolean): Promise<void>;
}
