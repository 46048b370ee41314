/** The system eos: Arista EOS over eAPI, or over SSH with `transport: ssh`. */
import type { Context } from "patchbay/plugin";
import * as v from "valibot";
import { textOf } from "../../../shared/eos/eapi.ts";
import { shaped } from "../../common/shape.ts";
import { defineSystem, type OpenSystem } from "../../system.ts";
import { refused } from "./answer.ts";
import { createCollector } from "./collector.ts";
import { createConfiguration } from "./configuration.ts";
import { createDevice, type EosDevice } from "./device.ts";
import { openEapi } from "./eapi.ts";
import { getters } from "./getters.ts";
import { openSsh } from "./ssh.ts";
import type { Transport } from "./transport.ts";

export default defineSystem<EosDevice>({
  name: "eos",
  getters,
  async open(tools, ctx): Promise<OpenSystem<EosDevice>> {
    const open = tools.connection.optional.transport === "ssh" ? openSsh : openEapi;
    const transport = await open(tools, ctx);
    const ask = createCollector(transport);
    const { run, concurrent, alive, reusable, close } = transport;
    const runOne = async (command: string, format: "json" | "text", ctx: Context) => {
      const { results, refusal } = await run([command], format, ctx);
      if (refusal !== undefined) throw refused(command, refusal);
      return results[0];
    };
    return {
      platform: "arista_eos",
      device: (answers, ctx) => createDevice(ask, answers, ctx),
      cli: async (command, ctx) => textOf(await runOne(command, "text", ctx)),
      cliJson: (command, ctx) => runOne(command, "json", ctx),
      configuration: createConfiguration(transport, tools.connection.optional),
      describe: (ctx) => describe(transport, tools.connection.host, ctx),
      concurrent,
      alive,
      reusable,
      close,
    };
  },
});

const facts = v.object({
  version: v.optional(v.string()),
  modelName: v.optional(v.string()),
  serialNumber: v.optional(v.string()),
  hostname: v.optional(v.string()),
});

async function describe({ run }: Transport, host: string, ctx: Context): Promise<Record<string, string>> {
  const { results } = await run(["show version", "show hostname"], "json", ctx);
  const { version, modelName, serialNumber, hostname } = shaped(facts, Object.assign({}, ...results));
  const identity = { version, model: modelName, serial: serialNumber };
  const knownFacts = Object.entries(identity).flatMap(([name, fact]) =>
    fact === undefined ? [] : [[name, fact] as const],
  );
  return { prompt: `${hostname ?? host}#`, ...Object.fromEntries(knownFacts) };
}
