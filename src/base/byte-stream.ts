/** Bytes in, bytes out: what a terminal session or NETCONF runs over. An SSH channel and a Telnet socket both give one. */

export interface ByteStream {
  /** Text is sent as UTF-8. After the end or the loss of the stream it is dropped: `onClose` has told. */
  write(data: string | Uint8Array): void;
  /** One listener; what came before it was set is kept and given first. A chunk is the listener's to keep. */
  onData(listener: (chunk: Uint8Array) => void): void;
  /** Called once, also when the stream is already closed; with an error when the far side or the network ended it badly. */
  onClose(listener: (error?: Error) => void): void;
  /** Says goodbye and waits until the far side has closed or a short grace is over; never rejects. */
  end(): Promise<void>;
  /** Closes at once, without goodbye. */
  destroy(): void;
}
