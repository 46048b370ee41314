/** The getters of `iosxr_netconf` on recorded responses. */
import { type NetconfSession, PluginError, parseXml, type XmlElement } from "patchbay/plugin";
import { describe, expect, test } from "vitest";
import { type XrDevice, xrDevice } from "../../../../plugins/drivers/napalm/systems/iosxr-netconf/device.ts";
import { getters } from "../../../../plugins/drivers/napalm/systems/iosxr-netconf/getters.ts";
import { taskContext } from "../../../plugin/context.ts";
import { nothingKept } from "../answer-of.ts";
import { casesOf, faultsOf, type RecordedCase } from "../recorded.ts";

/** Serializes equivalent elements to the same text, including namespaces. */
function canonical(element: XmlElement): string {
  const inside = element.children.map(canonical).join("");
  return `<${element.namespace} ${element.name}>${inside === "" ? element.textOf() : inside}</>`;
}

/** What an operation requests: its name, source and filter content, or the whole operation. */
function requestKey(operation: XmlElement): string {
  if (!["get", "get-config"].includes(operation.name)) return canonical(operation);
  const source = operation.find("source")?.children[0]?.name ?? "";
  const filter = operation.find("filter")?.children ?? [];
  return [operation.name, source, ...filter.map(canonical)].join(" ");
}

function askedInRecord({ netconf, source, xml }: Record<string, unknown>): string {
  const elements = parseXml(`<all>${String(xml)}</all>`).children;
  const [first] = elements;
  if (netconf === "rpc" && first !== undefined) return requestKey(first);
  return [String(netconf), typeof source === "string" ? source : "", ...elements.map(canonical)].join(" ");
}

function deviceOf({ calls, files }: RecordedCase): XrDevice {
  const byRequest = new Map(
    calls
      .flatMap(({ requests }) => requests)
      .map((request) => [askedInRecord(request), files[String(request.file)]] as const),
  );
  const hello = files["server_capabilities.xml"];
  const capabilities =
    hello === undefined
      ? []
      : parseXml(hello)
          .all("capabilities/capability")
          .map((one) => one.textOf());
  const session: Pick<NetconfSession, "rpc" | "capabilities"> = {
    capabilities,
    async rpc({ source }) {
      const answer = byRequest.get(requestKey(parseXml(source)));
      if (answer === undefined) throw new PluginError("CommandError", `no answer to ${source}`);
      return { root: parseXml(answer), source: answer, warnings: [], errors: [] };
    },
  };
  return xrDevice(session, {}, nothingKept, taskContext());
}

describe("an iosxr_netconf getter on recorded responses", () => {
  test.each(casesOf("iosxr_netconf").map((recorded) => [recorded.id, recorded] as const))(
    "returns the recorded result: %s",
    async (_, recorded) => {
      expect(await faultsOf(recorded, getters, deviceOf(recorded))).toEqual([]);
    },
  );
});
