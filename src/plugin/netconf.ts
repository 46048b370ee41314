/** NETCONF (RFC 6241) over SSH (RFC 6242) as drivers see it: one session, its capabilities, and calls that may overlap. */
import type { XmlElement } from "../base/xml.ts";
import type { XmlFragment } from "../base/xml-write.ts";
import type { Context } from "./kit.ts";
import type { SshTarget } from "./ssh.ts";

export interface NetconfKit {
  /**
   * Connects, opens the subsystem, exchanges hellos; all within `ssh.connectTimeoutMs`, or `helloTimeoutMs` for the hello.
   * @throws PluginError what `ssh.connect` throws; DriverError: the device does not speak NETCONF
   */
  open(target: NetconfTarget, ctx: Context): Promise<NetconfSession>;
}

export interface NetconfTarget {
  readonly ssh: SshTarget;
  /** Default `netconf`. */
  readonly subsystem?: string;
  /** Of ours, besides the two of the base protocol. */
  readonly capabilities?: readonly string[];
  /** False: chunked framing is not offered. */
  readonly chunked?: boolean;
  readonly helloTimeoutMs?: number;
  /** Largest message of the device; default 32 MiB. */
  readonly maxBytes?: number;
  /** Default for calls that say nothing; default 60 s. */
  readonly replyTimeoutMs?: number;
}

export interface NetconfSession {
  /** `1.1` has chunked framing. */
  readonly version: "1.0" | "1.1";
  /** As the device numbers it. */
  readonly sessionId: string;
  /** Those of the device. */
  readonly capabilities: readonly string[];
  /** Whether the device has a capability: by its whole URI, or without what follows a `?`. */
  supports(capability: string): boolean;
  /**
   * Sends an operation (what stands in `<rpc>`) and gives the reply. Calls may overlap: the device answers in any order.
   * @throws PluginError CommandError: an `rpc-error` of severity error, with all of them in `detail.errors`; ReadTimeout.
   * The session goes on behind both, and behind a task that ends: a late reply is dropped, a candidate can be discarded.
   * ConnectionLost, OutputTooLarge, DriverError (what came is no NETCONF): it has ended.
   */
  rpc(operation: XmlFragment, options: NetconfCall, ctx: Context): Promise<NetconfReply>;
  /** False once the session has ended. */
  alive(): boolean;
  /** Called once when the session ends by itself. */
  onLost(listener: () => void): void;
  /** Says `close-session`, waits shortly for the answer, closes the connection. Never rejects. */
  close(): Promise<void>;
}

export interface NetconfCall {
  /** Until the whole reply is there; the deadline of the task holds in any case. */
  readonly timeoutMs?: number;
  /** `give`: errors of severity error stand in the reply, too, and nothing is thrown for them. */
  readonly errors?: "throw" | "give";
}

export interface NetconfReply {
  /** `<rpc-reply>`. */
  readonly root: XmlElement;
  /** Of severity error; empty unless they were asked for. */
  readonly errors: readonly NetconfError[];
  /** Of severity warning. */
  readonly warnings: readonly NetconfError[];
  /** As it came. */
  readonly source: string;
}

/** An `<rpc-error>`; a text is empty where the device leaves it out. */
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
  /** `session-id` of `error-info`: who holds a lock. */
  readonly sessionId: string;
  /** Line of what was sent, from 1, where the device tells it (`line-number` of Junos). */
  readonly line?: number;
}
