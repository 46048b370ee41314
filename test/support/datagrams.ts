/** A Unix datagram socket like systemd's notify socket; neither Bun nor Node can listen on one. */

import { dlopen, FFIType, ptr } from "bun:ffi";
import { rmSync } from "node:fs";

const { i32, u32, u64, i64_fast } = FFIType;
const calls = {
  socket: { args: [i32, i32, i32], returns: i32 },
  bind: { args: [i32, FFIType.ptr, u32], returns: i32 },
  recv: { args: [i32, FFIType.ptr, u64, i32], returns: i64_fast },
  close: { args: [i32], returns: i32 },
} as const;
const system = dlopen("libc.so.6", calls).symbols;
const doNotWait = 0x40;

export interface Datagrams {
  /** Datagrams received since the last call, in order. */
  take(): string[];
  close(): void;
}

export function listenForDatagrams(path: string): Datagrams {
  rmSync(path, { force: true });
  const name = Buffer.from(`${path}\0`);
  const address = Buffer.concat([Buffer.from([1, 0]), name]);
  const handle = system.socket(1, 2 | 0o2000000, 0);
  if (system.bind(handle, ptr(address), address.length) !== 0) throw new Error(`cannot listen on ${path}`);
  const room = Buffer.alloc(65_536);
  return {
    take() {
      const texts: string[] = [];
      for (;;) {
        const length = Number(system.recv(handle, ptr(room), room.length, doNotWait));
        if (length < 0) return texts;
        texts.push(room.toString("utf8", 0, length));
      }
    },
    close() {
      system.close(handle);
      rmSync(path, { force: true });
    },
  };
}
