/** A bidirectional byte stream that CLI and NETCONF sessions run over: an SSH channel or a Telnet socket. */

export interface ByteStream {
  /** Text is sent as UTF-8. Data written after the stream has ended is dropped; `onClose` reports the end. */
  write(data: string | Uint8Array): void;
  /** One listener; earlier data is buffered and delivered first. The listener owns each chunk. */
  onData(listener: (chunk: Uint8Array) => void): void;
  /** Called once, also if the stream is already closed; with an error if the remote side or the network failed. */
  onClose(listener: (error?: Error) => void): void;
  /** Closes gracefully: waits until the remote side has closed or a short grace period has passed; never rejects. */
  end(): Promise<void>;
  /** Closes at once. */
  destroy(): void;
  /** Stops reading from the remote side until the returned function is called. Absent: it cannot be held. */
  hold?(): () => void;
  /** Milliseconds for which reading was held, in all: time limits for the remote side do not run meanwhile. */
  heldMs?(): number;
}
