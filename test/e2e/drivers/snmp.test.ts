/** The driver snmp in the service, on a real agent: requests of netpalm, discovery, reach, and no secret anywhere. */
import process from "node:process";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { needs } from "../../../scripts/testbed/catalogue.ts";
import { type Snmpd, startSnmpd } from "../../../scripts/testbed/snmpd.ts";
import { assertNoSecretKept } from "../../../src/testkit/leaks.ts";
import { type Service, startService } from "../../../src/testkit/service.ts";

/** Deno has no AES in the mode of SNMP. */
const hasCipher = process.env.TEST_RUNTIME !== "deno";

describe.skipIf(needs("snmpd"))("an SNMP agent", () => {
  let agent: Snmpd;
  let service: Service;
  let connection_args: Record<string, unknown>;

  beforeAll(async () => {
    [agent, service] = await Promise.all([startSnmpd(), startService()]);
    const { host, port, community } = agent;
    connection_args = { host, port, community, timeout: 2 };
    const credential = { name: "file", ref: "agents" };
    await service.call(
      "PUT",
      "/credential/agents",
      hasCipher
        ? { username: "sha256user", password: agent.password, priv_password: agent.privPassword }
        : { username: "sha1user", password: agent.password },
    );
    const added = await service.call("POST", "/inventory/device", {
      devices: [
        {
          ...{ name: "a-1", host, port, driver: "snmp", credential },
          ...(hasCipher ? {} : { connection: { auth_protocol: "sha" } }),
        },
      ],
    });
    expect(added.status, JSON.stringify(added.body)).toBe(200);
  });
  afterAll(async () => {
    await service?.close();
    await agent?.stop();
  });

  async function run(request: object) {
    const job = await service.run({ driver: "snmp", connection_args, ...request });
    expect(job.status, JSON.stringify(job.result)).toBe("finished");
    return job.result?.retval ?? {};
  }

  test("answers the requests of netpalm's puresnmp", async () => {
    const command = [".1.3.6.1.2.1.1.5.0", "1.3.6.1.2.1.1.2.0", "1.3.6.1.2.1.1.3.0"];
    expect(await run({ command })).toEqual({
      ".1.3.6.1.2.1.1.5.0": "testbed-agent",
      "1.3.6.1.2.1.1.2.0": expect.stringContaining("1.3.6.1.4.1.8072."),
      "1.3.6.1.2.1.1.3.0": expect.any(Number),
    });
    expect(await run({ command, driver_args: { type: "get" } })).toMatchObject({
      [command[0] ?? ""]: "testbed-agent",
    });
    expect(await run({ command: "1.3.6.1.2.1.1", driver_args: { type: "walk" } })).toMatchObject({
      "1.3.6.1.2.1.1": { "sysName.0": "testbed-agent" },
    });
    expect(await run({ command: "1.3.6.1.2.1.2.2", driver_args: { type: "table" } })).toMatchObject({
      "1.3.6.1.2.1.2.2": expect.arrayContaining([expect.objectContaining({ ifIndex: 1, ifDescr: "lo" })]),
    });
  });

  test("sets, tests its connection, and tells a part that it lacks", async () => {
    expect(JSON.stringify(await run({ config: { sysContact: "by the service" } }))).toContain(
      "by the service",
    );
    const { body } = await service.call<{ success: boolean }>("POST", "/device/test-connection", {
      ...{ driver: "snmp", connection_args },
    });
    expect(body.data, JSON.stringify(body)).toMatchObject({ success: true });
    const part = await service.run({
      driver: "snmp",
      connection_args,
      command: ["sysName", "1.3.6.1.2.1.1.99.0"],
    });
    expect(part, JSON.stringify(part)).toMatchObject({ status: "finished", result: { partial: true } });
  });

  test("is asked for its facts with version 3, by the driver that it names", async () => {
    const found = await service.call("POST", "/inventory/discover", { device: "a-1" }, { Prefer: "wait=60" });
    expect(found.status, JSON.stringify(found.body)).toBeLessThan(300);
    await expect
      .poll(async () => JSON.stringify((await service.call("GET", "/inventory/device/a-1")).body), {
        timeout: 20_000,
      })
      .toContain('"hostname":"testbed-agent"');
  });

  test("is asked with a cipher, or the reason is told where the runtime lacks it", async () => {
    const { host, port, password, privPassword: priv_password } = agent;
    const job = await service.run({
      ...{ driver: "snmp", command: "sysName" },
      connection_args: { host, port, timeout: 2, username: "sha256user", password, priv_password },
    });
    expect([job.status, JSON.stringify(job.result)]).toEqual(
      hasCipher
        ? ["finished", expect.stringContaining("testbed-agent")]
        : ["failed", expect.stringContaining("priv_protocol: this runtime lacks the cipher")],
    );
  });

  test("is not reached by a key that may not, whatever is asked", async () => {
    const made = await service.call<{ key: string }>("POST", "/key", {
      ...{ name: "elsewhere", scope: "operate", hosts: ["192.0.2.0/24"] },
    });
    expect(made.status, JSON.stringify(made.body)).toBe(201);
    const refused = await service.call(
      "POST",
      "/device/execute",
      { driver: "snmp", connection_args, command: "sysName" },
      { "X-API-KEY": made.body.data.key },
    );
    expect(refused.status, JSON.stringify(refused.body)).toBe(403);
  });

  test("leaves no community and no password behind", () => {
    assertNoSecretKept(service, [agent.community, agent.password, agent.privPassword]);
  });
});
