/** `sd_notify` for systemd on Bun, through the C library; does nothing on Deno. */
import { deno } from "./deno.ts";
import type { Notifier } from "./notify-bun.ts";

export type { Notifier };

/** Not a static import: Deno rejects a program that imports a Bun module. */
const onBun = deno === undefined ? await import("./notify-bun.ts") : undefined;

/**
 * @param path a file, or an abstract name that begins with `@`
 * @returns undefined if there is no such socket, or the runtime cannot send to it.
 */
export function createNotifier(path: string): Notifier | undefined {
  return onBun?.createNotifier(path);
}
