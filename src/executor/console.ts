/** Redirects a plugin's console output to the log: attributed, masked, and without breaking other log lines. */
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
