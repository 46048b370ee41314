/**
 * `sd_notify` for systemd: sends datagrams to a Unix socket, which the runtime does not support. Calls the linked C
 * library, so that no other program is needed.
 */
import { FFIType, ptr } from "bun:ffi";
import { isAbsolute } from "node:path";
import { openLibrary } from "./c-library.ts";

const unixFamily = 1;
const datagram = 2;
const closeOnExec = 0o2000000;
/** MSG_DONTWAIT and MSG_NOSIGNAL. */
const sendFlags = 0x40 | 0x4000;
const { i32, u32, u64, i64_fast } = FFIType;
const calls = {
  socket: { args: [i32, i32, i32], returns: i32 },
  sendto: { args: [i32, FFIType.ptr, u64, i32, FFIType.ptr, u32], returns: i64_fast },
  close: { args: [i32], returns: i32 },
} as const;
const maxPathLength = 107;

export interface Notifier {
  /**
   * Sends lines such as `READY=1`.
   * @returns whether they were sent.
   */
  send(...lines: readonly string[]): boolean;
  close(): void;
}

/**
 * @param path a file, or an abstract name that begins with `@`
 * @returns undefined if there is no such socket or no C library.
 */
export function createNotifier(path: string): Notifier | undefined {
  const name = Buffer.from(path.startsWith("@") ? `\0${path.slice(1)}` : `${path}\0`);
  const system = openLibrary(calls);
  if (system === undefined || name.length > maxPathLength + 1) return undefined;
  if (!path.startsWith("@") && !isAbsolute(path)) return undefined;
  const address = Buffer.concat([Buffer.from([unixFamily, 0]), name]);
  const handle = system.socket(unixFamily, datagram | closeOnExec, 0);
  if (handle < 0) return undefined;
  let open = true;
  return {
    send(...lines) {
      if (!open) return false;
      const message = Buffer.from(lines.join("\n"));
      const sent = system.sendto(
        handle,
        ptr(message),
        message.length,
        sendFlags,
        ptr(address),
        address.length,
      );
      return Number(sent) === message.length;
    },
    close() {
      if (open) system.close(handle);
      open = false;
    },
  };
}
