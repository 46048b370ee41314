/** The getters of `nxos` on recorded responses. */
import { PluginError } from "patchbay/plugin";
import * as v from "valibot";
import { describe, expect, test } from "vitest";
import { getters } from "../../../../plugins/drivers/napalm/systems/nxos/getters.ts";
import type { NxosDevice } from "../../../../plugins/drivers/napalm/systems/nxos-common/device.ts";
import { casesOf, faultsOf } from "../recorded.ts";

const refusal = v.object({ exception: v.string(), kwargs: v.object({ message: v.string() }) });

function deviceOf(files: Readonly<Record<string, string>>): NxosDevice {
  const text = async (command: string) => {
    const found = files[`${command.replaceAll(" ", "_")}.json`];
    if (found === undefined) throw new PluginError("CommandError", `no answer to ${command}`);
    return found;
  };
  return {
    text,
    async json(command) {
      const body: unknown = JSON.parse(await text(command));
      if (v.is(refusal, body)) throw new PluginError("CommandError", body.kwargs.message);
      return body;
    },
  };
}

describe("an nxos getter on recorded responses", () => {
  test.each(casesOf("nxos").map((recorded) => [recorded.id, recorded] as const))(
    "returns the recorded result: %s",
    async (_, recorded) => {
      expect(await faultsOf(recorded, getters, deviceOf(recorded.files))).toEqual([]);
    },
  );
});
