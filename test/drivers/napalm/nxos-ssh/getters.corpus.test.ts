/** The getters of `nxos_ssh` on recorded responses. */
import { describe, expect, test } from "vitest";
import { structureOf } from "../../../../plugins/drivers/napalm/systems/nxos-ssh/device.ts";
import { nxosSshGetters } from "../../../../plugins/drivers/napalm/systems/nxos-ssh/getters.ts";
import { answersOf } from "../cli-answers.ts";
import { casesOf, faultsOf } from "../recorded.ts";

describe("an nxos_ssh getter on recorded responses", () => {
  test.each(casesOf("nxos_ssh").map((recorded) => [recorded.id, recorded] as const))(
    "returns the recorded result: %s",
    async (_, recorded) => {
      const answer = answersOf(recorded);
      const device = {
        text: async (command: string) => answer(command),
        json: async (command: string) => structureOf(command, answer(`${command} | json`)),
      };
      expect(await faultsOf(recorded, nxosSshGetters, device)).toEqual([]);
    },
  );
});
