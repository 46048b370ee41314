/** The getters of `junos` on recorded responses. */
import { type NetconfSession, PluginError, parseXml, type XmlElement } from "patchbay/plugin";
import * as v from "valibot";
import { describe, expect, test } from "vitest";
import type { Getters } from "../../../../plugins/drivers/napalm/system.ts";
import { type JunosDevice, junosDevice } from "../../../../plugins/drivers/napalm/systems/junos/device.ts";
import { getters } from "../../../../plugins/drivers/napalm/systems/junos/getters.ts";
import { taskContext } from "../../../plugin/context.ts";
import { nothingKept } from "../answer-of.ts";
import { casesOf, faultsOf, type RecordedCase } from "../recorded.ts";

const described = v.object({
  facts: v.looseObject({
    hostname: v.string(),
    model: v.string(),
    serialnumber: v.string(),
    version: v.string(),
    switch_style: v.string(),
  }),
  uptime: v.number(),
});

/** Serializes equivalent operations to the same text. */
function canonical(element: XmlElement): string {
  const attributes = [...element.attributes].filter(([name]) => name !== "xmlns").toSorted();
  const inside = element.children.map(canonical).join("");
  return `<${element.name} ${attributes.join(" ")}>${inside === "" ? element.textOf() : inside}</>`;
}

/** The recorded device's facts, which NAPALM's library requested but which were not recorded. */
function ownAnswers({ device }: RecordedCase): Readonly<Record<string, string>> {
  const { facts, uptime } = v.parse(described, device);
  const styles: Readonly<Record<string, string>> = {
    VLAN: "<ethernet-switching-table-information/>",
    VLAN_L2NG: "<l2ng-l2ald-rtb-macdb/>",
  };
  const answers: Record<string, string | undefined> = {
    "<get-software-information/>": `<software-information><host-name>${facts.hostname}</host-name><product-model>${facts.model.toLowerCase()}</product-model><junos-version>${facts.version}</junos-version></software-information>`,
    "<get-chassis-inventory/>": `<chassis-inventory><chassis><serial-number>${facts.serialnumber}</serial-number></chassis></chassis-inventory>`,
    "<get-system-uptime-information/>": `<system-uptime-information><system-booted-time><time-length seconds="${uptime}">x</time-length></system-booted-time></system-uptime-information>`,
    "<get-ethernet-switching-table-information><summary/></get-ethernet-switching-table-information>":
      styles[facts.switch_style],
    '<command format="xml">show bridge mac-table count</command>':
      facts.switch_style === "BRIDGE_DOMAIN" ? "<l2ald-rtb-mac-count/>" : undefined,
    '<get-configuration database="committed" inherit="inherit" groups="groups"><configuration><system><domain-name/></system></configuration></get-configuration>':
      "<configuration/>",
  };
  return Object.fromEntries(
    Object.entries(answers).flatMap(([operation, answer]) =>
      answer === undefined ? [] : [[canonical(parseXml(operation)), answer]],
    ),
  );
}

function deviceOf(recorded: RecordedCase): JunosDevice {
  const { calls, files } = recorded;
  const byRequest = new Map(Object.entries(ownAnswers(recorded)));
  for (const { rpc, file, text_only } of calls.flatMap(({ requests }) => requests)) {
    const answer = files[String(file)];
    if (answer === undefined) continue;
    const text = answer.replace(/^\s*<\?xml[^>]*>/, "");
    const inside = text_only === true ? `<output>${text}</output>` : text;
    byRequest.set(canonical(parseXml(String(rpc))), inside);
  }
  const session: Pick<NetconfSession, "rpc"> = {
    async rpc({ source }) {
      const answer = byRequest.get(canonical(parseXml(source)));
      if (answer === undefined) throw new PluginError("CommandError", `syntax error: ${source}`);
      const reply = `<rpc-reply>${answer}</rpc-reply>`;
      return { root: parseXml(reply), source: reply, warnings: [], errors: [] };
    },
  };
  return junosDevice(session, {}, nothingKept, taskContext());
}

describe("a junos getter on recorded responses", () => {
  test.each(casesOf("junos").map((recorded) => [recorded.id, recorded] as const))(
    "returns the recorded result: %s",
    async (_, recorded) => {
      expect(await faultsOf(recorded, getters satisfies Getters<JunosDevice>, deviceOf(recorded))).toEqual(
        [],
      );
    },
  );
});
