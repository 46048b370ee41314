/** Tells systemd how the service is, where the runtime can: Bun calls the C library, on Deno nobody is told. */
import { deno } from "./deno.ts";
import type { Notifier } from "./notify-bun.ts";

export type { Notifier };

/** Not a static import: Deno refuses a program that names a module of Bun. */
const onBun = deno === undefined ? await import("./notify-bun.ts") : undefined;

/**
 * @param path a file, or a name that begins with `@`
 * @returns undefined where there is no such socket, or nobody can be told.
 */
export function createNotifier(path: string): Notifier | undefined {
  return onBun?.createNotifier(path);
}
