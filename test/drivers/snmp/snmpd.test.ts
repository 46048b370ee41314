/** The driver snmp on a real agent (snmpd, with LLDP-MIB of lldpd). */
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { needs } from "../../../scripts/testbed/catalogue.ts";
import { type Snmpd, startSnmpd } from "../../../scripts/testbed/snmpd.ts";
import { type Opened, openOn } from "./open.ts";

describe.skipIf(needs("snmpd"))("snmpd", () => {
  let agent: Snmpd;
  let snmp: Opened;
  const opened: Opened[] = [];
  async function open(login: Record<string, unknown>): Promise<Opened> {
    const one = await openOn(agent, login);
    opened.push(one);
    return one;
  }
  beforeAll(async () => {
    agent = await startSnmpd();
    snmp = await open({ community: agent.community });
    // Until lldpd has joined the agent, what this has grows between two walks.
    const rows = async () => Object.keys(Object(await snmp.one("1.0.8802.1.1.2.1.3", { type: "walk" })));
    await vi.waitFor(async () => expect(await rows()).not.toEqual([]), 20_000);
  });
  afterAll(async () => {
    for (const one of opened) await one.close();
    await agent?.stop();
  });

  test("answers names and numbers, of many in few requests", async () => {
    expect(
      await snmp.ask(["sysName", "1.3.6.1.2.1.1.5.0", ".1.3.6.1.2.1.1.5.0", "SNMPv2-MIB::sysName.0"]),
    ).toEqual(
      ["sysName", "1.3.6.1.2.1.1.5.0", ".1.3.6.1.2.1.1.5.0", "SNMPv2-MIB::sysName.0"].map((command) => ({
        command,
        output: "testbed-agent",
      })),
    );
    const many = Array.from({ length: 50 }, () => "sysLocation");
    expect((await snmp.ask(many)).every(({ output }) => output === "a rack")).toBe(true);
  });

  test("names what it lacks beside what it has, and fails if it has none of them", async () => {
    const [found, missing] = await snmp.ask(["sysName", "1.3.6.1.2.1.1.99.0"]);
    expect(found).toMatchObject({ output: "testbed-agent" });
    expect(missing?.error).toMatchObject({
      kind: "CommandError",
      message: expect.stringContaining("no such"),
    });
    await expect(snmp.ask("1.3.6.1.2.1.1.99.0")).rejects.toMatchObject({ kind: "CommandError" });
    await expect(snmp.ask("sysNmae")).rejects.toMatchObject({ kind: "CommandError" });
  });

  test("walks in bulks and one by one alike, and shows tables as records", async () => {
    const bulk = await snmp.one("1.3.6.1.2.1.1", { type: "walk" });
    const single = await snmp.one("1.3.6.1.2.1.1", { type: "walk", bulk: 1 });
    expect(bulk).toMatchObject({ "sysName.0": "testbed-agent", "sysLocation.0": "a rack" });
    expect(Object.keys(Object(single))).toEqual(Object.keys(Object(bulk)));
    const rows = await snmp.one("ifTable", { type: "table" });
    expect(rows).toContainEqual(
      expect.objectContaining({ ifIndex: 1, ifDescr: "lo", ifOperStatus: "up", ifAdminStatus: "up" }),
    );
    expect(await snmp.one("ifXTable", { type: "table" })).toContainEqual(
      expect.objectContaining({ ifIndex: 1, ifName: "lo", ifHCInOctets: expect.any(Number) }),
    );
    expect(await snmp.one("ifDescr", { type: "walk" })).toMatchObject({ "ifDescr.1": "lo" });
  });

  test("reads LLDP-MIB of lldpd", async () => {
    expect(await snmp.one("1.0.8802.1.1.2.1.3", { type: "walk" })).toMatchObject({
      "lldpLocChassisIdSubtype.0": "macAddress",
      "lldpLocChassisId.0": expect.stringMatching(/^(?:[\da-f]{2}:){5}[\da-f]{2}$/),
    });
  });

  test("sets objects together, or none of them", async () => {
    expect(await snmp.set({ sysContact: "ops" })).toEqual({ "sysContact.0": "ops" });
    expect(await snmp.set("sysContact.0 = noc = days")).toEqual({ "sysContact.0": "noc = days" });
    // sysName comes from the agent's configuration.
    await expect(snmp.set({ sysContact: "changed", sysName: "other" })).rejects.toMatchObject({
      kind: "CommandError",
      message: expect.stringContaining("notWritable"),
    });
    expect(await snmp.one("sysContact")).toBe("noc = days");
    await expect(snmp.set({ "1.3.6.1.2.1.1.4.0": { type: "integer", value: "x" } })).rejects.toMatchObject({
      kind: "DriverError",
      detail: { outcome: "none" },
    });
    const reader = await open({ community: agent.readCommunity });
    await expect(reader.set({ sysContact: "x" })).rejects.toMatchObject({
      message: expect.stringContaining("noAccess"),
    });
  });

  test("accepts every digest and cipher, and says who was refused", async () => {
    for (const { username, auth, ...more } of agent.users) {
      const priv = "priv" in more ? { priv_protocol: more.priv, priv_password: agent.privPassword } : {};
      const one = await open({ username, password: agent.password, auth_protocol: auth, ...priv });
      expect(await one.one("sysName"), username).toBe("testbed-agent");
      expect(await one.set({ sysContact: username })).toEqual({ "sysContact.0": username });
    }
    const login = { username: "sha256user", password: agent.password, priv_password: agent.privPassword };
    const ask = async (more: object) => (await open({ ...login, ...more })).one("sysName");
    expect(await ask({})).toBe("testbed-agent");
    const refused = { kind: "AuthenticationFailed" };
    await expect(ask({ password: "another-password" })).rejects.toMatchObject(refused);
    await expect(ask({ username: "nobody" })).rejects.toMatchObject(refused);
    await expect(ask({ auth_protocol: "sha512" })).rejects.toMatchObject(refused);
    await expect(
      (await open({ username: "sha256user", password: agent.password })).one("sysName"),
    ).rejects.toMatchObject({ kind: expect.stringMatching(/AuthenticationFailed|CommandError/) });
  });

  test("is found again by an open session after its restart, with the new time of its engine", async () => {
    const { password, privPassword: priv_password } = agent;
    const one = await open({ username: "sha256user", password, priv_password });
    expect(await one.one("sysName")).toBe("testbed-agent");
    await agent.restart();
    expect(await one.one("sysName")).toBe("testbed-agent");
    expect(await one.set({ sysContact: "restarted" })).toEqual({ "sysContact.0": "restarted" });
    await agent.restart();
    expect(await one.set({ sysContact: "again" })).toEqual({ "sysContact.0": "again" });
  });

  test("tells its facts, and a community that it does not know by its silence", async () => {
    expect(await snmp.facts()).toMatchObject({
      prompt: "testbed-agent>",
      object_id: expect.stringContaining("1.3.6.1.4.1.8072."),
    });
    const stranger = await open({ community: "nobody", timeout: 0.05, repeats: 1 });
    await expect(stranger.one("sysName")).rejects.toMatchObject({
      kind: "ConnectionTimeout",
      message: expect.stringContaining("does not accept the community"),
    });
  });
});
