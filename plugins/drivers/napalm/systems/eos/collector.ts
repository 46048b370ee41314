/** Batches commands that getters send at the same time into one request. */
import type { Context } from "patchbay/plugin";
import { textOf } from "../../../shared/eos/eapi.ts";
import { refused } from "./answer.ts";
import type { Transport } from "./transport.ts";

/** @throws PluginError CommandError if the switch refused this command; the others still get their answers */
export type Collector = (command: string, format: "json" | "text", ctx: Context) => Promise<unknown>;

interface Waiting {
  readonly command: string;
  resolve(result: unknown): void;
  reject(error: unknown): void;
}

/** Per request: the combined answer has a size limit. */
const maxCommands = 8;

export function createCollector(transport: Transport): Collector {
  const waiting: Record<"json" | "text", Waiting[]> = { json: [], text: [] };

  /** Continues the list after a refused command. */
  async function send(list: readonly Waiting[], format: "json" | "text", ctx: Context): Promise<void> {
    let remaining = list;
    try {
      while (remaining.length > 0) {
        const commands = remaining.map(({ command }) => command);
        const { results, refusal } = await transport.run(commands, format, ctx);
        const answered = refusal === undefined ? remaining : remaining.slice(0, refusal.at);
        for (const [at, { resolve }] of answered.entries())
          resolve(format === "json" ? (results[at] ?? null) : textOf(results[at]));
        if (refusal === undefined) return;
        const [entry] = remaining.slice(refusal.at);
        entry?.reject(refused(entry.command, refusal));
        remaining = remaining.slice(refusal.at + 1);
      }
    } catch (error) {
      for (const { reject } of remaining) reject(error);
    }
  }

  return (command, format, ctx) =>
    new Promise((resolve, reject) => {
      const list = waiting[format];
      list.push({ command, resolve, reject });
      if (list.length > 1) return;
      queueMicrotask(() => {
        const queued = list.splice(0);
        for (let at = 0; at < queued.length; at += maxCommands)
          void send(queued.slice(at, at + maxCommands), format, ctx);
      });
    });
}
