/** The getters of `iosxr` on recorded responses. */
import { PluginError, parseXml, type XmlElement } from "patchbay/plugin";
import { describe, expect, test } from "vitest";
import type { XrDevice } from "../../../../plugins/drivers/napalm/systems/iosxr/device.ts";
import { getters } from "../../../../plugins/drivers/napalm/systems/iosxr/getters.ts";
import { casesOf, faultsOf, type RecordedCase } from "../recorded.ts";

/** Serializes equivalent requests to the same text. */
function canonical(element: XmlElement): string {
  const inside = element.children.map(canonical).join("");
  return `<${element.name}>${inside === "" ? element.textOf() : inside}</>`;
}
const canonicalRequest = (request: string) => canonical(parseXml(`<Request>${request}</Request>`));

function deviceOf({ calls, files }: RecordedCase): XrDevice {
  const answers = new Map(
    calls.flatMap(({ requests }) =>
      requests.flatMap(({ xml, file }) =>
        typeof xml === "string" && typeof file === "string"
          ? [[canonicalRequest(xml), files[file]] as const]
          : [],
      ),
    ),
  );
  const text = async (request: string) => {
    const found = answers.get(canonicalRequest(request));
    if (found === undefined) throw new PluginError("CommandError", `no answer to ${request}`);
    return found;
  };
  return {
    ask: async (request) => parseXml(await text(request)),
    exec: async (command) => (await text(`<CLI><Exec>${command}</Exec></CLI>`)).trim(),
    configuration: async (command) =>
      parseXml(await text(`<CLI><Configuration>${command}</Configuration></CLI>`)).textOf(
        "CLI/Configuration",
      ),
  };
}

describe("an iosxr getter on recorded responses", () => {
  test.each(casesOf("iosxr").map((recorded) => [recorded.id, recorded] as const))(
    "returns the recorded result: %s",
    async (_, recorded) => {
      expect(await faultsOf(recorded, getters, deviceOf(recorded))).toEqual([]);
    },
  );
});
