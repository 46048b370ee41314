/** The query interface of the nxos getters: sends each command once per job. */
import type { Context } from "patchbay/plugin";
import type { Answers } from "../../system.ts";
import { textOf } from "../nxos-common/commands.ts";
import type { NxosDevice } from "../nxos-common/device.ts";
import type { Transport } from "./transport.ts";

export function createDevice({ runOne }: Transport, answers: Answers, ctx: Context): NxosDevice {
  return {
    json: (command) => answers.structure(`${command} | json`, () => runOne(command, "json", ctx)),
    text: (command) => answers.once(command, async () => textOf(await runOne(command, "text", ctx))),
  };
}
