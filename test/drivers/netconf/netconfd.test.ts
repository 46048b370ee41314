/** The driver netconf on a real server (netconfd behind sshd): queries, pushes, confirmed commits and their traps. */
import { createHash } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { needs } from "../../../scripts/testbed/catalogue.ts";
import { type Netconfd, startNetconfd } from "../../../scripts/testbed/netconfd.ts";
import { type Opened, openOn } from "./open.ts";

const namespace = "urn:ietf:params:xml:ns:yang:ietf-interfaces";
const ethernet = "iana-if-type:ethernetCsmacd";
const interfaces = (...list: object[]) => ({ "ietf-interfaces:interfaces": { interface: list } });
const port = (name: string, description: string) => ({ name, type: ethernet, description });
const xmlOf = (name: string, description: string) =>
  `<interfaces xmlns="${namespace}"><interface><name>${name}</name><type xmlns:t="urn:ietf:params:xml:ns:yang:iana-if-type">t:ethernetCsmacd</type><description>${description}</description></interface></interfaces>`;
const hold = { seconds: 120, fingerprint: (text: string) => createHash("sha256").update(text).digest("hex") };

describe.skipIf(needs("netconfd"))("netconfd", () => {
  let server: Netconfd;
  let one: Opened;
  let two: Opened;
  beforeAll(async () => {
    server = await startNetconfd();
    [one, two] = await Promise.all([openOn(server), openOn(server)]);
  });
  afterAll(async () => {
    await Promise.all([one?.close(), two?.close()]);
    await server?.stop();
  });

  const running = (by: Opened = two) =>
    by.ask("get-config", {
      format: "object",
      lists: ["interface"],
      filter: { "ietf-interfaces:interfaces": {} },
    });
  const withEth2 = (description: string) => interfaces(port("eth0", description), port("eth2", "replaced"));
  /** A server that is slow learns late that a session has ended. */
  const isFree = async () => {
    const call = (name: string) => two.operate(`<rpc><${name}><target><candidate/></target></${name}></rpc>`);
    await expect.poll(() => call("lock"), { timeout: 20_000 }).toBe("");
    expect(await call("unlock")).toBe("");
  };

  test("takes data by YANG names, and gives it back so", async () => {
    const edited = await one.push(interfaces(port("eth0", "a & <b>"), port("eth1", "two")));
    expect(edited).toMatchObject({ committed: true, saved: false });
    expect(edited.diff).toContain("+      <description>a &amp; &lt;b&gt;</description>");
    expect(await running()).toEqual(interfaces(port("eth0", "a & <b>"), port("eth1", "two")));
    expect(await one.push(interfaces(port("eth1", "two")))).toEqual({
      diff: "",
      committed: false,
      saved: false,
    });
    await isFree();
  });

  test("takes XML, and operations of elements", async () => {
    await one.push(`<config>${xmlOf("eth2", "three")}</config>`);
    await one.push(interfaces({ name: "eth1", "@": { "ietf-netconf:operation": "delete" } }));
    expect(await running()).toEqual(interfaces(port("eth0", "a & <b>"), port("eth2", "three")));
    await expect(one.push(interfaces({ name: "eth9", "@": { operation: "delete" } }))).rejects.toMatchObject({
      kind: "CommandError",
      detail: { outcome: "none" },
    });
    const other = xmlOf("eth2", "replaced").replace(
      "<interface>",
      '<interface xmlns:nc="urn:ietf:params:xml:ns:netconf:base:1.0" nc:operation="replace">',
    );
    expect((await one.push(other)).diff).toContain("replaced");
  });

  test("compares a dry run, and leaves nothing of it", async () => {
    const before = await running();
    const { diff, committed } = await one.push(interfaces(port("eth7", "dry")), { dry_run: true });
    expect(diff).toContain("+    <name>eth7</name>".replace("    ", "      "));
    expect(committed).toBe(false);
    expect(await running()).toEqual(before);
    expect(await two.ask("compare")).toBe("");
    await isFree();
  });

  test("replaces the whole configuration by the text that the history keeps", async () => {
    const kept = await one.ask("get-config");
    await one.push(interfaces(port("eth8", "more")));
    const replaced = await one.push(String(kept), { replace: true });
    expect(replaced.diff).toContain("-      <name>eth8</name>");
    expect(await one.ask("get-config")).toBe(kept);
  });

  test("filters by subtree and XPath, with its own names", async () => {
    const only = { "ietf-interfaces:interfaces": { interface: [{ name: "eth0" }] } };
    const ask = (filter: unknown, more: object = {}) =>
      one.ask("get-config", { filter, format: "object", lists: ["interface"], ...more });
    const answer = interfaces(port("eth0", "a & <b>"));
    expect(await ask(only)).toEqual(answer);
    expect(
      await ask(`<interfaces xmlns="${namespace}"><interface><name>eth0</name></interface></interfaces>`),
    ).toEqual(answer);
    expect(
      await ask(
        `<filter type='subtree'><interfaces xmlns="${namespace}"><interface><name>eth0</name></interface></interfaces></filter>`,
      ),
    ).toEqual(answer);
    // This server knows no prefixes in XPath; see documents.test.ts for those.
    expect(await ask("/interfaces/interface[name='eth0']")).toEqual(answer);
    expect(await one.ask("get-config", { filter: only })).toContain(`<interfaces xmlns="${namespace}">`);
  });

  test("shows default values where they are asked for", async () => {
    const ask = (with_defaults?: string) =>
      one.ask("get-config", {
        filter: { "ietf-interfaces:interfaces": {} },
        ...(with_defaults === undefined ? {} : { with_defaults }),
      });
    expect(await ask()).not.toContain("<enabled");
    expect(await ask("trim")).not.toContain("<enabled");
    expect(await ask("report-all")).toContain("<enabled>true</enabled>");
    expect(await ask("report-all-tagged")).toMatch(/<enabled [^>]*default="true"/);
  });

  test("runs any operation, reads schemas, tells what it is", async () => {
    expect(await one.ask("<get-config><source><running/></source></get-config>")).toContain(
      "<name>eth0</name>",
    );
    expect(await one.ask("get-schema", { identifier: "ietf-interfaces" })).toContain(
      "module ietf-interfaces",
    );
    expect(await one.ask("capabilities")).toContain("urn:ietf:params:netconf:capability:candidate:1.0");
    expect(await one.ask("validate", { source: "running" })).toBe("");
    await expect(one.ask("<get-nothing xmlns='urn:x'/>")).rejects.toMatchObject({ kind: "CommandError" });
    expect(await one.facts()).toMatchObject({ netconf: "1.1", host: server.host });
    expect(await one.reusable()).toBe(true);
  });

  test("a failed edit leaves neither a lock nor a change", async () => {
    const bad = `<interfaces xmlns="${namespace}"><interface><name>bad</name><no-such>1</no-such></interface></interfaces>`;
    await expect(one.push(bad)).rejects.toMatchObject({ kind: "CommandError", detail: { outcome: "none" } });
    await isFree();
    expect(await two.ask("compare")).toBe("");
    await expect(one.push({ "no-such-module:x": {} })).rejects.toMatchObject({
      kind: "DriverError",
      message: expect.stringContaining("no-such-module"),
    });
  });

  test("a session that was given an operation serves no other job, and its lock ends with it", async () => {
    const other = await openOn(server);
    expect(await other.reusable()).toBe(true);
    await other.operate("<rpc><lock><target><candidate/></target></lock></rpc>");
    expect(await other.reusable()).toBe(false);
    await other.close();
    await isFree();
  });

  test("does not commit, confirm or discard what others left in the candidate", async () => {
    const other = await openOn(server);
    const edit = `<rpc><edit-config><target><candidate/></target><config>${xmlOf("theirs", "x")}</config></edit-config></rpc>`;
    await other.operate(edit);
    await expect(one.push(interfaces(port("eth5", "mine")))).rejects.toMatchObject({
      kind: "CommandError",
      detail: { outcome: "none" },
    });
    await expect(one.push(interfaces(port("eth5", "mine")), { lock: false })).rejects.toMatchObject({
      message: expect.stringContaining("uncommitted changes of others"),
    });
    expect(await two.ask("compare")).toContain("theirs");
    await other.operate("discard-changes");
    await other.close();
  });

  test("a confirmed commit waits for another session, which confirms or cancels it", async () => {
    const first = await one.push(interfaces(port("eth0", "waits")), { revert_in: 100 });
    expect(first).toMatchObject({
      committed: true,
      reverts_in: 100,
      handle: expect.stringMatching(/^patchbay-/),
    });
    await two.operate("cancel-commit", { handle: first.handle });
    expect(await running()).toEqual(withEth2("a & <b>"));
    const second = await one.push(interfaces(port("eth0", "stays")), { revert_in: 100 });
    await two.operate("commit", { handle: second.handle });
    await expect(two.operate("cancel-commit", { handle: second.handle })).rejects.toMatchObject({
      kind: "CommandError",
    });
    expect(await running()).toEqual(withEth2("stays"));
  });

  test("a session that dies while the timer runs takes nothing with it: another one ends the push", async () => {
    const dying = await openOn(server);
    const change = await dying.change(xmlOf("eth0", "held"), hold);
    expect(change).toMatchObject({ how: "confirmed_commit", open: expect.any(String) });
    await dying.close();
    const found = await two.reopen(change.open ?? "", hold);
    expect(found.running).toBe("pushed");
    await found.undo(await context());
    expect(await running()).toEqual(withEth2("stays"));
    expect((await two.reopen(change.open ?? "", hold)).running).toBe("before");
  });

  test("the timer of a commit starts anew by another session, and then ends it", async () => {
    const dying = await openOn(server);
    const change = await dying.change(xmlOf("eth0", "longer"), hold);
    await dying.close();
    const open = change.open ?? "";
    await (await two.reopen(open, hold)).extend?.(900, await context());
    expect((await two.reopen(open, hold)).running).toBe("pushed");
    // A timer of 3 s in place of 15 minutes: the server brings back what ran before the push.
    await (await two.reopen(open, hold)).extend?.(3, await context());
    const rarely = { timeout: 60_000, interval: 3_000 };
    // This server looks at its timers only when nobody asks it anything for a second.
    await expect.poll(async () => (await two.reopen(open, hold)).running, rarely).toBe("before");
    expect(await running()).toEqual(withEth2("stays"));
    const late = await two.reopen(open, hold);
    await expect(late.extend?.(900, await context())).rejects.toMatchObject({ kind: "CommandError" });
    expect(await running()).toEqual(withEth2("stays"));
    await isFree();
  });

  test("a commit whose timer has started anew is confirmed and cancelled as before", async () => {
    for (const word of ["undo", "confirm"] as const) {
      const change = await one.change(xmlOf("eth0", "longer"), hold);
      const open = change.open ?? "";
      await (await two.reopen(open, hold)).extend?.(900, await context());
      await (await two.reopen(open, hold))[word](await context());
      expect(await running()).toEqual(withEth2(word === "undo" ? "stays" : "longer"));
      await isFree();
    }
    await one.push(interfaces(port("eth0", "stays")));
  });

  test("no timer starts anew with what others left in the candidate", async () => {
    const change = await one.change(xmlOf("eth0", "longer"), hold);
    const other = await openOn(server);
    const edit = `<rpc><edit-config><target><candidate/></target><config>${xmlOf("theirs", "x")}</config></edit-config></rpc>`;
    await other.operate(edit);
    const found = await two.reopen(change.open ?? "", hold);
    await expect(found.extend?.(900, await context())).rejects.toMatchObject({ detail: { outcome: "none" } });
    await other.operate("discard-changes");
    await other.close();
    await found.undo(await context());
    expect(await running()).toEqual(withEth2("stays"));
  });

  test("a session that has died is replaced for the undo", async () => {
    const dying = await openOn(server);
    const change = await dying.change(xmlOf("eth0", "cut off"));
    await dying.close();
    await change.undo(await context());
    expect(await running()).toEqual(withEth2("stays"));
    await isFree();
  });

  test("a commit that the server accepts and does not do is told", async () => {
    // After a validate netconfd takes the candidate for unchanged.
    await expect(one.push(interfaces(port("eth0", "validated")), { validate: true })).rejects.toMatchObject({
      kind: "CommandError",
      detail: { outcome: "none" },
      message: expect.stringContaining("as before"),
    });
    expect(await two.ask("compare")).toBe("");
    await isFree();
  });

  const context = async () => (await import("../../plugin/context.ts")).taskContext();
});
