/** What a plugin writes to the console goes to the log: named, masked, and not into the middle of another line. */
import { inspect } from "node:util";
import type { Log } from "../base/log.ts";

const levels = { log: "info", info: "info", debug: "debug", warn: "warn", error: "error" } as const;

export function logConsole(target: Console, log: Log): void {
  for (const [name, level] of Object.entries(levels)) {
    const write = (...parts: unknown[]) => {
      const text = parts.map((part) => (typeof part === "string" ? part : inspect(part))).join(" ");
      log[level]("plugin.console", { text });
    };
    Object.defineProperty(target, name, { value: write, configurable: true, writable: true });
  }
}
