/** Runs getters of nxos on structured responses written for a test. */
import { PluginError } from "patchbay/plugin";
import type { Method } from "../../../../plugins/drivers/napalm/methods.ts";
import { getters } from "../../../../plugins/drivers/napalm/systems/nxos/getters.ts";
import type { NxosDevice } from "../../../../plugins/drivers/napalm/systems/nxos-common/device.ts";
import { answerOf } from "../answer-of.ts";

/** @param answers by command; other commands are refused */
export function callGetter(method: Method, answers: Readonly<Record<string, unknown>>, args: object = {}) {
  const answer = async (command: string) => {
    if (!Object.hasOwn(answers, command)) throw new PluginError("CommandError", `refused: ${command}`);
    return answers[command];
  };
  const device: NxosDevice = { json: answer, text: async (command) => String(await answer(command)) };
  return answerOf(getters, device, method, args);
}
export const table = (name: string, rows: unknown) => ({ [`TABLE_${name}`]: { [`ROW_${name}`]: rows } });
export const tables = (name: string, rows: readonly unknown[]) => ({
  [`TABLE_${name}`]: rows.map((row) => ({ [`ROW_${name}`]: row })),
});
