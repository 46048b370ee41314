/** What is written in one turn of the loop leaves in one piece: ssh2 writes each packet as three, and one call of the system each. */
import process from "node:process";
import type { Duplex } from "node:stream";

/**
 * A session of two commands: 12 calls of the system in the place of 34.
 * What waits is neither held back by an end of the stream nor lost where it is destroyed.
 */
export function joinWrites(stream: Duplex): void {
  const write = stream.write.bind(stream) as (...args: unknown[]) => boolean;
  const destroy = stream.destroy.bind(stream);
  const release = () => {
    if (stream.writableCorked > 0) stream.uncork();
  };
  Object.assign(stream, {
    write(...args: unknown[]) {
      if (stream.writableCorked === 0) {
        stream.cork();
        process.nextTick(release);
      }
      return write(...args);
    },
    destroy(error?: Error) {
      release();
      return destroy(error);
    },
  });
}
