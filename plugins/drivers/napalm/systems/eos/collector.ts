/** Batches commands that getters send at the same time into one request. */
import type { Context } from "patchbay/plugin";
import { textOf } from "../../../shared/eapi.ts";
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
    let left = list;
    try {
      while (left.length > 0) {
        const commands = left.map(({ command }) => command);
        const { results, refusal } = await transport.run(commands, format, ctx);
        const answered = refusal === undefined ? left : left.slice(0, refusal.at);
        for (const [at, { resolve }] of answered.entries())
          resolve(format === "json" ? (results[at] ?? null) : textOf(results[at]));
        if (refusal === undefined) return;
        const [one] = left.slice(refusal.at);
        one?.reject(refused(one.command, refusal));
        left = left.slice(refusal.at + 1);
      }
    } catch (error) {
      for (const { reject } of left) reject(error);
    }
  }

  return (command, format, ctx) =>
    new Promise((resolve, reject) => {
      const list = waiting[format];
      list.push({ command, resolve, reject });
      if (list.length > 1) return;
      queueMicrotask(() => {
        const all = list.splice(0);
        for (let at = 0; at < all.length; at += maxCommands)
          void send(all.slice(at, at + maxCommands), format, ctx);
      });
    });
}
