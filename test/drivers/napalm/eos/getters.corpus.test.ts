/** The getters of `eos` on recorded responses. */
import * as v from "valibot";
import { describe, expect, test } from "vitest";
import { createAnswers } from "../../../../plugins/drivers/napalm/answers.ts";
import { createDevice, type EosDevice } from "../../../../plugins/drivers/napalm/systems/eos/device.ts";
import { getters } from "../../../../plugins/drivers/napalm/systems/eos/getters.ts";
import { PluginError } from "../../../../src/plugin/index.ts";
import { taskContext } from "../../../plugin/context.ts";
import { casesOf, faultsOf, type RecordedCase } from "../recorded.ts";

const asked = v.looseObject({
  eapi: v.array(v.string()),
  format: v.string(),
  files: v.array(v.nullish(v.string())),
});

function deviceOf({ calls, files }: RecordedCase): EosDevice {
  const byCommand = new Map<string, unknown>();
  for (const request of calls.flatMap(({ requests }) => requests)) {
    const { eapi, format, files: names } = v.parse(asked, request);
    for (const [at, command] of eapi.entries()) {
      const answer = files[names[at] ?? ""];
      if (answer !== undefined)
        byCommand.set(`${format} ${command}`, format === "json" ? JSON.parse(answer) : answer);
    }
  }
  const ask = async (command: string, format: string) => {
    const answer = byCommand.get(`${format} ${command}`);
    if (answer === undefined) throw new PluginError("CommandError", `invalid command: ${command}`);
    return answer;
  };
  return createDevice(ask, createAnswers().of("test"), taskContext());
}

describe("an eos getter on recorded responses", () => {
  test.each(casesOf("eos").map((recorded) => [recorded.id, recorded] as const))(
    "returns the recorded result: %s",
    async (_, recorded) => {
      expect(await faultsOf(recorded, getters, deviceOf(recorded))).toEqual([]);
    },
  );
});
