/** The getters of `ios` on recorded responses. */
import { describe, expect, test } from "vitest";
import { cleaned } from "../../../../plugins/drivers/napalm/systems/ios/device.ts";
import { iosGetters } from "../../../../plugins/drivers/napalm/systems/ios/getters.ts";
import { answersOf } from "../cli-answers.ts";
import { casesOf, faultsOf } from "../recorded.ts";

describe("an ios getter on recorded responses", () => {
  test.each(casesOf("ios").map((recorded) => [recorded.id, recorded] as const))(
    "returns the recorded result: %s",
    async (_, recorded) => {
      const answer = answersOf(recorded);
      const device = {
        ask: async (command: string) => cleaned(answer(command)),
        named: (name: string) => name,
      };
      expect(await faultsOf(recorded, iosGetters, device)).toEqual([]);
    },
  );
});
