/** The pyeapi driver on switches that replay real responses: structured if available, otherwise text. */
import * as v from "valibot";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { login, type ReplayCase, replayCases, startReplay } from "../../../scripts/testbed/replay.ts";
import { type Service, startService } from "../../../src/testkit/service.ts";

const call = v.object({
  requests: v.array(
    v.object({
      eapi: v.array(v.string()),
      format: v.picklist(["json", "text"]),
      files: v.array(v.string()),
    }),
  ),
});

/** By command: the switch's response and its recorded format. */
function recorded({ calls, files }: ReplayCase): Map<string, { format: string; answer: unknown }> {
  const requests = calls.flatMap((one) => v.parse(call, one).requests);
  return new Map(
    requests.flatMap(({ eapi, format, files: names }) =>
      eapi.map((command, at) => {
        const text = files[names[at] ?? ""] ?? "";
        return [command, { format, answer: format === "json" ? JSON.parse(text) : text }] as const;
      }),
    ),
  );
}

describe.each(["https", "http"] as const)("recorded switches over %s", (transport) => {
  let service: Service;
  beforeAll(async () => {
    service = await startService();
  });
  afterAll(async () => {
    await service.stop();
  });

  async function ask(one: ReplayCase, command: readonly string[], more: object = {}) {
    const device = await startReplay(one);
    try {
      const port = transport === "https" ? device.port : device.http_port;
      const { username, password, secret } = login;
      return await service.run({
        driver: "pyeapi",
        connection_args: { host: "127.0.0.1", port, transport, username, password, secret },
        command,
        ...more,
      });
    } finally {
      await device.close();
    }
  }

  const cases = replayCases().filter(({ driver }) => driver === "eos");

  test("returns the recorded answer of each command of every case", async () => {
    expect(cases.length).toBeGreaterThan(30);
    await Promise.all(
      cases.map(async (one) => {
        const answers = recorded(one);
        const job = await ask(one, [...answers.keys()]);
        const expected = [...answers].map(([command, { answer }]) => [command, answer]);
        expect({ id: one.id, retval: job.result?.retval }).toEqual({
          id: one.id,
          retval: Object.fromEntries(expected),
        });
      }),
    );
  });

  test("parses text with TTP, and structured data with a path", async () => {
    const named = (id: string) => cases.filter((one) => one.id === id);
    const [ntp] = named("eos/get_ntp_servers/normal");
    const [interfaces] = named("eos/get_interfaces_counters/normal");
    if (!ntp || !interfaces) throw new Error("the cases are missing");
    const servers = await ask(ntp, ["show running-config | section ntp"], {
      driver_args: { encoding: "text" },
      parsing: { name: "ttp", template: "<group name='ntp*'>\nntp server {{ server }}\n</group>" },
    });
    const addresses = ["1.2.3.4", "5.6.7.8", "2001:0db8:0a0b:12f0:0000:0000:0000:0001"];
    expect(Object.values(servers.result?.retval ?? {})).toEqual([
      [{ ntp: addresses.map((server) => ({ server })) }],
    ]);
    const path = "interfaces.*.interfaceCounters.inOctets";
    const octets = await ask(interfaces, ["show interfaces"], { parsing: { name: "json", path } });
    expect(Object.values(octets.result?.retval ?? {})).toEqual([
      expect.arrayContaining([expect.any(Number)]),
    ]);
  });
});
