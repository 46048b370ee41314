/** NETCONF (RFC 6241) over SSH (RFC 6242) for drivers: a session, its capabilities, and concurrent RPCs. */
import type { XmlElement } from "../../base/xml/xml.ts";
import type { XmlFragment } from "../../base/xml/xml-write.ts";
import type { Context } from "./kit.ts";
import type { SshTarget } from "./ssh.ts";

export interface NetconfKit {
  /**
   * Connects, opens the subsystem and exchanges hellos, all within `ssh.connectTimeoutMs`, or `helloTimeoutMs` for the
   * hello.
   * @throws PluginError as `ssh.connect` does; DriverError: the device does not speak NETCONF
   */
  open(target: NetconfTarget, ctx: Context): Promise<NetconfSession>;
}

export interface NetconfTarget {
  readonly ssh: SshTarget;
  /** Default `netconf`. */
  readonly subsystem?: string;
  /** Client capabilities to announce besides the two of the base protocol. */
  readonly capabilities?: readonly string[];
  /** False: do not offer chunked framing. */
  readonly chunked?: boolean;
  readonly helloTimeoutMs?: number;
  /** Maximum size of a message from the device; default 32 MiB. */
  readonly maxBytes?: number;
  /** Reply timeout for calls without one of their own; default 60 s. */
  readonly replyTimeoutMs?: number;
}

export interface NetconfSession {
  /** `1.1` uses chunked framing. */
  readonly version: "1.0" | "1.1";
  /** Session id assigned by the device. */
  readonly sessionId: string;
  /** Capabilities of the device. */
  readonly capabilities: readonly string[];
  /** Whether the device has a capability, given as the full URI or without its `?` part. */
  supports(capability: string): boolean;
  /**
   * Sends an operation (the content of `<rpc>`) and returns the reply. Calls may overlap: the device answers in any
   * order.
   * @throws PluginError CommandError: an `rpc-error` of severity error, all of them in `detail.errors`; ReadTimeout.
   * After both, and after a task that ends, the session stays usable: a late reply is dropped, a candidate can be
   * discarded. ConnectionLost, OutputTooLarge, DriverError (invalid NETCONF): the session has ended.
   */
  rpc(operation: XmlFragment, options: NetconfCall, ctx: Context): Promise<NetconfReply>;
  /** False once the session has ended. */
  alive(): boolean;
  /** Called once if the session ends without `close`. */
  onLost(listener: () => void): void;
  /** Sends `close-session`, waits briefly for the reply, closes the connection. Never rejects. */
  close(): Promise<void>;
}

export interface NetconfCall {
  /** Until the whole reply has arrived; the deadline of the task always applies. */
  readonly timeoutMs?: number;
  /** `give`: return errors of severity error in the reply instead of throwing them. */
  readonly errors?: "throw" | "give";
}

export interface NetconfReply {
  /** `<rpc-reply>`. */
  readonly root: XmlElement;
  /** Errors of severity error; empty unless the call set `errors: "give"`. */
  readonly errors: readonly NetconfError[];
  /** Of severity warning. */
  readonly warnings: readonly NetconfError[];
  /** The raw reply. */
  readonly source: string;
}

/** An `<rpc-error>`; texts that the device omits are empty. */
export interface NetconfError {
  readonly severity: "error" | "warning";
  /** `transport`, `rpc`, `protocol` or `application`. */
  readonly type: string;
  /** Such as `lock-denied`. */
  readonly tag: string;
  readonly message: string;
  readonly path: string;
  /** `bad-element` of `error-info`. */
  readonly badElement: string;
  /** `session-id` of `error-info`: the session that holds a lock. */
  readonly sessionId: string;
  /** Line of the request, from 1, if the device reports it (`line-number` of Junos). */
  readonly line?: number;
}
